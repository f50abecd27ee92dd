import { join } from 'node:path';
import { runnerImport } from 'vite';

/** Loads a module of TypeScript of the project, as Vite compiles it. */
export async function load(path) {
  const { module } = await runnerImport(join(import.meta.dirname, '../..', path), {
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    logLevel: 'warn',
  });
  return module;
}
