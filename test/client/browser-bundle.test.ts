import { resolve } from 'node:path';
import { build } from 'esbuild';

const project = resolve(__dirname, '../..');

/** Bundles for browsers. The compiler rejects a module of Node, which browsers lack. */
async function bundled(contents: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: resolve(project, 'client/src'), loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    splitting: true,
    outdir: 'out',
    write: false,
    metafile: true,
    logLevel: 'silent',
    absWorkingDir: project,
  });
  return Object.values(metafile.outputs)
    .filter(({ entryPoint }) => entryPoint === '<stdin>')
    .flatMap(({ inputs }) => Object.keys(inputs));
}

test('the library for browsers reaches no module of Node, and nothing of the service but types', async () => {
  const inputs = await bundled("export * from './index.browser';");
  expect(inputs).toContain('client/src/service/browser-transport.ts');
  expect(inputs.filter((path) => path.startsWith('functions/'))).toEqual([]);
});

test('the library for Node is refused: this test can fail', async () => {
  await expect(bundled("export * from './index';")).rejects.toThrow(/Could not resolve "node:/);
});

test('a page that only calls the service loads no package', async () => {
  const inputs = await bundled("export { DeckService, BrowserTransport, Failure, listDecks } from './index.browser';");
  expect(inputs).toContain('client/src/service/service.ts');
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});
