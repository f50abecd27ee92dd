import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const project = resolve(__dirname, '../..');
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deck-shared-'));
  program = join(folder, 'program.cjs');
  const contents = `
    import { rememberFolder } from './cli/src/known-folders';
    import { changeProfile } from './cli/src/profiles';
    import { changeDeckFile } from './client/src/deck-file';
    import { rememberLink } from './cli/src/share-link';
    const [, , name, count, deck] = process.argv;
    const baseUrl = 'http://127.0.0.1:5001';
    (async () => {
      for (let i = 0; i < Number(count); i++) {
        const presentationId = name + i;
        await rememberLink({ baseUrl, presentationId }, 'http://x/' + presentationId);
        await rememberFolder({ baseUrl, presentationId: 'same', folder: '/' + presentationId });
        await changeProfile('local', (profile = { name: 'local', baseUrl }) => ({
          ...profile,
          replacedKeys: [...(profile.replacedKeys ?? []), presentationId],
        }));
        await changeDeckFile(deck, (file = {}) => ({ ...file, [presentationId]: true }));
      }
    })();`;
  const stdin = { contents, resolveDir: project, loader: 'ts' as const };
  buildSync({ stdin, bundle: true, platform: 'node', outfile: program, logLevel: 'silent' });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function store(config: string, name: string, count: number): Promise<void> {
  const env = { ...process.env, XDG_CONFIG_HOME: config };
  const child = spawn(process.execPath, [program, name, String(count), config], { env, stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
}

const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;

it('two commands that change the same files at the same time lose no change', async () => {
  const config = await mkdtemp(join(folder, 'config-'));
  await Promise.all([store(config, 'a', 20), store(config, 'b', 20)]);
  const at = (name: string) => read(join(config, 'deck', name));
  expect(Object.keys(await at('links.json'))).toHaveLength(40);
  expect((await at('folders.json'))['http://127.0.0.1:5001 same']).toHaveLength(40);
  expect((await at('profiles/local.json'))['replacedKeys']).toHaveLength(40);
  expect(Object.keys(await read(join(config, '.deck.json')))).toHaveLength(40);
  const names = ['current-profile.json', 'folders.json', 'links.json', 'profiles'];
  expect((await readdir(join(config, 'deck'))).sort()).toEqual(names);
});

it('a command that was killed while it changed a file does not block the next one', async () => {
  const config = await mkdtemp(join(folder, 'config-'));
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(join(config, `.deck.json.${pid}.0123456789abcdef.lock`), '');
  await store(config, 'c', 1);
  expect(await readdir(config)).toEqual(['.deck.json', 'deck']);
});
