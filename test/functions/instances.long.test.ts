import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as functions from '../../functions/src/index';
import { projectRoot } from '../../local/project';

/** What a function loads at its start: files of functions/lib, their bytes, and the modules that run. */
type Start = { files: string[]; bytes: number; own: number; ofPackages: number };

/**
 * What an instance may load before it can answer. An instance of every function reads the same two files. The deletion
 * of an account has the most modules, and then the share page: it checks the gate of the link, shows the gate's page,
 * and knows the pictures, the live session and the loads of the owner.
 */
const MOST = { bytes: 1_850_000, own: 175, ofPackages: 90 };

test('a function starts from two files, and evaluates only the modules that it needs', () => {
  const script = (name: string) => join(projectRoot, 'scripts', name);
  execFileSync(process.execPath, [script('build.mjs')]);
  const output = execFileSync(process.execPath, [script('loaded-code.mjs')], { encoding: 'utf8' });
  const starts = JSON.parse(output) as Record<string, Start>;
  expect(Object.keys(starts)).toEqual(Object.keys(functions).toSorted());
  const heavy = Object.entries(starts).filter(
    ([, { files, bytes, own, ofPackages }]) =>
      files.join() !== 'functions.js,index.js' || bytes > MOST.bytes || own > MOST.own || ofPackages > MOST.ofPackages,
  );
  expect(heavy).toEqual([]);
  // Half of the functions need far less than the largest one.
  const sizes = Object.values(starts).map(({ own }) => own);
  expect(sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(115);
});
