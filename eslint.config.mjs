import js from '@eslint/js';
import redos from 'eslint-plugin-redos';
import tseslint from 'typescript-eslint';
import { lintRules } from './lint-rules.mjs';
import { walls } from './walls.mjs';

const reads =
  '/^(textContent|inner(Text|HTML)|all(Inner|Text)(Text|Content)s|count|is(Visible|Hidden|Disabled|Enabled|Checked)|getAttribute|inputValue)$/';
const expects = ':matches([callee.object.callee.name="expect"], [callee.object.object.callee.name="expect"])';
/** A page shows what it loaded some time after a test clicked. */
const looksOnce = [
  {
    selector: `ExpressionStatement > ${expects} CallExpression[callee.property.name=${reads}]`,
    message: 'This looks once at a page that may still load. Write `await soon(async () => expect(…))`.',
  },
];

export default tseslint.config(
  { ignores: ['**/node_modules/', '**/lib/', '**/dist/', '.build/', '.local/', 'test/real-decks/decks/'] },
  js.configs.recommended,
  // Prettier breaks the lines of code.
  { rules: { 'max-len': ['error', { code: 100_000, comments: 120, ignoreUrls: true }] } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
        FormData: 'readonly',
        Blob: 'readonly',
      },
    },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }] },
  },
  {
    // A text of a stranger must not stop an instance.
    files: ['functions/src/**', 'client/src/**'],
    plugins: { redos },
    rules: { 'redos/no-vulnerable': 'error' },
  },
  {
    // Tests look into JSON that has no type, and say what they expect of it.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    plugins: { house: lintRules },
    rules: { 'house/counted-loops': 'error' },
  },
  {
    files: ['test/browser/**/*.ts', 'test/local/mail/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...looksOnce] },
  },
  ...walls,
);
