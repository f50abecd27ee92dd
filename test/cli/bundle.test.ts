import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const project = resolve(__dirname, '../..');

test('the bundle of the client holds files of the client only: the contract with the service is types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deck-bundle-'));
  try {
    const metafile = join(folder, 'meta.json');
    const args = ['cli/src/main.ts', '--bundle', '--platform=node', `--outfile=${join(folder, 'deck.js')}`];
    const esbuild = join(project, 'node_modules/esbuild/bin/esbuild');
    execFileSync(esbuild, [...args, `--metafile=${metafile}`, '--log-level=error'], { cwd: project });
    const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as { inputs: Record<string, unknown> };
    expect(Object.keys(inputs)).toContain('cli/src/main.ts');
    expect(Object.keys(inputs).filter((path) => !path.startsWith('cli/'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
