import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as functions from '../../functions/src/index';
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

/** What an instance may load before it can answer. An instance of every function reads the same two files. */
const MOST = { bytes: 1_200_000, own: 125, ofPackages: 90 };

test('a function starts from two files, and evaluates only the modules that it needs', () => {
  const starts = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Record<string, Start>;
  expect(Object.keys(starts)).toEqual(Object.keys(functions).toSorted());
  const heavy = Object.entries(starts).filter(
    ([, { files, bytes, own, ofPackages }]) =>
      files.join() !== 'functions.js,index.js' || bytes > MOST.bytes || own > MOST.own || ofPackages > MOST.ofPackages,
  );
  expect(heavy).toEqual([]);
  // Half of the functions need far less than the largest one.
  const sizes = Object.values(starts).map(({ own }) => own);
  expect(sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(85);
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
