import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const project = resolve(__dirname, '../..');

/** What the client decides as the service does, with the packages that these files need. */
const shared = [
  'errors.ts',
  'policy/deck-addresses.ts',
  'policy/deck-headers.ts',
  'policy/deck-pictures.ts',
  'policy/delivery.ts',
  'values/content-types.ts',
  'values/html-insertion.ts',
  'values/html-metadata.ts',
  'values/paths.ts',
  'values/units.ts',
].map((path) => `functions/src/${path}`);

/** The files from which a file of the package is made. */
function inputsOf(entry: string, ...options: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'deck-bundle-'));
  try {
    const metafile = join(folder, 'meta.json');
    const args = [entry, '--bundle', ...options, '--platform=node', `--outfile=${join(folder, 'out.js')}`];
    const esbuild = join(project, 'node_modules/esbuild/bin/esbuild');
    execFileSync(esbuild, [...args, `--metafile=${metafile}`, '--log-level=error'], { cwd: project });
    return Object.keys((JSON.parse(readFileSync(metafile, 'utf8')) as { inputs: object }).inputs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('deck.js holds the client and the rules that it shares with the service: the contract is types', () => {
  const inputs = inputsOf('cli/src/main.ts', '--external:../mcp/server.js');
  expect(inputs).toContain('cli/src/main.ts');
  expect(inputs.filter((path) => /^(cli\/src\/mcp|node_modules\/(zod|@modelcontextprotocol))\//.test(path))).toEqual(
    [],
  );
  expect(inputs.filter((path) => path.startsWith('functions/')).sort()).toEqual(shared);
});

test('mcp.js holds the server for agents and its packages, and no copy of the client', () => {
  const own = inputsOf('cli/src/mcp/server.ts').filter((path) => !path.startsWith('node_modules/'));
  expect(own).toContain('cli/src/mcp/server.ts');
  expect(own.filter((path) => !path.startsWith('cli/src/mcp/'))).toEqual(['cli/package.json', 'cli/src/deck-id.ts']);
});
