import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** A wall: files in `from` may not import what `patterns` match. */
const wall = (from, patterns, message) => ({
  files: [from],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: patterns, message }] }] },
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
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly', module: 'writable', require: 'readonly' } },
  },
  wall('functions/src/policy/**', ['firebase-admin*', 'firebase-functions*', '**/records/*', '**/blobs/*', '**/http/endpoint', '**/mail/*', 'node:fs*', 'node:http*'], 'policy/ holds pure decisions: no I/O.'),
  wall('functions/src/endpoints/**', ['../*/[a-z]*', '!../../*/**'], 'Endpoints never import each other.'),
  wall('functions/src/{http,records,blobs,mail}/**', ['**/endpoints/**'], 'Imports point one way: endpoints → library.'),
  wall('functions/src/**', ['**/local/**', '**/cli/**', '**/test/**'], 'The functions do not know where they run.'),
);
