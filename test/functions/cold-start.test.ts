import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../local/project';
import { World } from '../support/world';

/** What a function has loaded: files of functions/lib, their bytes, and the modules that ran. */
interface Loaded {
  files: string[];
  bytes: number;
  modules: string[];
}

const program = join(projectRoot, 'scripts', 'loaded-code.mjs');

beforeAll(() => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
});

test('a function loads at most 3 % more than docs/cold-start.md says: `npm run docs` accepts more', () => {
  const loaded = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Record<string, Loaded>;
  const rows = readFileSync(join(projectRoot, 'docs', 'cold-start.md'), 'utf8').matchAll(
    /^\| (\w+) \| (\d+) \| (\d+) \| ([\w., ]+) \| (\d+) \|$/gm,
  );
  const stored = new Map(
    [...rows].map(([, name, own, ofPackages, files, kB]) => [name, { own, ofPackages, files, kB }]),
  );
  expect([...stored.keys()]).toEqual(Object.keys(loaded));
  const grown = Object.entries(loaded).filter(([name, { files, bytes, modules }]) => {
    const before = stored.get(name)!;
    const most = Math.ceil((Number(before.own) + Number(before.ofPackages)) * 1.03);
    return files.join(', ') !== before.files || modules.length > most || bytes > Number(before.kB) * 1030;
  });
  expect(grown.map(([name, { files, bytes, modules }]) => [name, ...files, bytes, modules.length])).toEqual([]);
});

test('a viewer that has answered has loaded no client library of Google, no mail provider and no transliteration', async () => {
  const world = await World.start();
  const deck = await world.aDeck(await world.anOwner());
  const path = `/${deck.presentationId}/_t/${deck.token}/`;
  // The local cloud in this process answers, so this process must not wait without its event loop.
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'getSharedPresentation', path], {
    env: { ...process.env, ...world.cloud.environment },
  });
  await world.stop();
  const { files, modules } = JSON.parse(stdout.split('\n').at(-1)!) as Loaded;
  expect(modules).toContain('src/endpoints/viewer/getSharedPresentation.ts');
  expect(files).toEqual(['functions.js', 'index.js']);
  const heavy = /\/(firebase-admin|google-gax|@google-cloud|google-auth-library|resend|transliteration)\//;
  expect(modules.filter((each) => heavy.test(each))).toEqual([]);
});
