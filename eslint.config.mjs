import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Where no file of functions/ may look. */
const outside = {
  group: ['**/local/**', '**/operator/**', '**/cli/**', '**/test/**', '**/scripts/**'],
  message: 'The functions do not know where they run.',
};

/** A wall around a room of functions/src. The last wall whose files match counts, so each names everything that it keeps out. */
const wall = (files, group, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [outside, ...(group ? [{ group, message }] : [])] }] },
});

export default tseslint.config(
  { ignores: ['**/node_modules/', '**/lib/', '**/dist/', '.build/', '.local/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
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
    files: ['functions/src/**'],
    ignores: ['functions/src/log.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: "ImportSpecifier[imported.name='logger']", message: 'log.ts is what writes, without secrets.' },
      ],
    },
  },
  wall(['functions/src/**']),
  wall(['functions/src/{http,mail,pages}/**'], ['**/endpoints/**'], 'Imports point one way: endpoints → library.'),
  wall(['functions/src/endpoints/**'], ['./*', '../[a-z]*/*', '!../../**'], 'Endpoints never import each other.'),
  wall(
    ['functions/src/policy/**'],
    ['firebase-*', 'firebase-*/**', '../*/**', '../config', 'node:fs*', 'node:http*', 'resend'],
    'policy/ holds pure decisions: no I/O.',
  ),
);
