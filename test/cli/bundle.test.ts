import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const project = resolve(__dirname, '../..');

/** What the client decides as the service does (decision 51), with the packages that these files need. */
const shared = [
  ...['errors.ts', 'policy/deck-addresses.ts', 'policy/deck-headers.ts', 'policy/deck-pictures.ts'],
  ...['policy/delivery.ts', 'values/content-types.ts', 'values/html-insertion.ts', 'values/html-metadata.ts'],
  ...['values/paths.ts', 'values/units.ts'],
].map((path) => `functions/src/${path}`);

test('the bundle holds the client and the rules that it shares with the service: the contract is types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deck-bundle-'));
  try {
    const metafile = join(folder, 'meta.json');
    const args = [
      'cli/src/main.ts',
      '--bundle',
      '--alias:parse5=./client/node_modules/parse5',
      '--platform=node',
      `--outfile=${join(folder, 'deck.js')}`,
    ];
    const esbuild = join(project, 'node_modules/esbuild/bin/esbuild');
    execFileSync(esbuild, [...args, `--metafile=${metafile}`, '--log-level=error'], { cwd: project });
    const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as { inputs: Record<string, unknown> };
    expect(Object.keys(inputs)).toContain('cli/src/main.ts');
    const ofService = Object.keys(inputs).filter((path) => !/^(cli|client)\//.test(path));
    expect(ofService.filter((path) => path.startsWith('functions/src/')).sort()).toEqual(shared);
    const packages = ofService.map((path) => /^functions\/node_modules\/([^/]+)/.exec(path)?.[1]);
    expect([...new Set(packages.filter(Boolean))]).toEqual(['content-type']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
