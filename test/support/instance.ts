import { join } from 'node:path';
import { build } from 'esbuild';
import { runtimeAsIs } from '../../functions/runtime/as-is.cjs';

/** Builds the program that runs one call in an instance of its own: `instance.js` in the folder `outdir`. */
export async function buildInstance(outdir: string): Promise<void> {
  const entryPoints = [join(__dirname, '../functions/programs/instance.ts')];
  await build({ entryPoints, outdir, bundle: true, platform: 'node', logLevel: 'error', plugins: [runtimeAsIs] });
}
