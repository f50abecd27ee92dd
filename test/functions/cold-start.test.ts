import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../local/project';
import { World } from '../support/world';

/** What a function loads at its start: files of functions/lib, their bytes, and the modules that run. */
interface Start {
  files: string[];
  bytes: number;
  own: number;
  ofPackages: number;
}

const program = join(projectRoot, 'scripts', 'loaded-code.mjs');

beforeAll(() => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
});

test('a function loads at most 3 % more than docs/cold-start.md says: `npm run docs` accepts more', () => {
  const starts = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Record<string, Start>;
  const rows = readFileSync(join(projectRoot, 'docs', 'cold-start.md'), 'utf8').matchAll(
    /^\| (\w+) \| (\d+) \| (\d+) \| ([\w., ]+) \| (\d+) \|$/gm,
  );
  const stored = new Map([...rows].map(([, name, ...cells]) => [name, cells] as const));
  expect([...stored.keys()]).toEqual(Object.keys(starts));
  const grown = Object.entries(starts).filter(([name, { files, bytes, own, ofPackages }]) => {
    const [ownBefore, ofPackagesBefore, filesBefore, kB] = stored.get(name)!;
    const most = Math.ceil((Number(ownBefore) + Number(ofPackagesBefore)) * 1.03);
    return files.join(', ') !== filesBefore || own + ofPackages > most || bytes > Number(kB) * 1030;
  });
  expect(grown).toEqual([]);
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
  const { files, modules } = JSON.parse(stdout.split('\n').at(-1)!) as { files: string[]; modules: string[] };
  expect(modules).toContain('src/endpoints/viewer/getSharedPresentation.ts');
  expect(files).toEqual(['functions.js', 'index.js']);
  const heavy = /\/(firebase-admin|google-gax|@google-cloud|google-auth-library|resend|transliteration)\//;
  expect(modules.filter((each) => heavy.test(each))).toEqual([]);
});
