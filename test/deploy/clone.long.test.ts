import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { firebase } from '../../deploy/command';
import { runProgram } from '../../deploy/surroundings';
import * as functions from '../../functions/src';
import { projectRoot } from '../../local/project';
import { firebaseTools, officialTest } from '../support/official-emulator';
import { serveFirebaseApis } from './firebase-apis';
import { PROJECT } from './project';

const folder = mkdtempSync(join(tmpdir(), 'decks-clone-'));
afterAll(() => rmSync(folder, { recursive: true }));

officialTest(
  '`firebase deploy` deploys named functions, and all, from a clone in which nothing is installed or built',
  async () => {
    const clone = join(folder, 'clone');
    // Git copies what is committed.
    execFileSync('git', ['clone', '--quiet', projectRoot, clone]);
    const settings = `SERVICE_ACCOUNT=decks-functions@${PROJECT}.iam.gserviceaccount.com\n`;
    writeFileSync(join(clone, 'functions', `.env.${PROJECT}`), settings);
    const apis = await serveFirebaseApis();
    const path = [dirname(firebaseTools!), process.env['PATH']].join(delimiter);
    const env = { PATH: path, HOME: folder, CI: '1', ...apis.env };
    const deploy = async (only: string) => {
      const command = firebase('deploy', `--only=${only}`, `--project=${PROJECT}`, '--non-interactive');
      const { status, stdout, stderr } = await runProgram(command, clone, env);
      // firebase-tools ends with process.exit, which can cut the end of its output off.
      expect([status, `${stderr}\n${stdout}`]).toEqual([0, expect.stringContaining('Deploying to')]);
      return apis.created.splice(0).map(({ name }) => name.split('/').at(-1)!);
    };
    const named = await deploy('functions:decks:getServiceInfo,functions:decks:finishDeletions');
    expect(named.toSorted()).toEqual(['finishDeletions', 'getServiceInfo']);
    const all = await deploy('functions');
    expect(all.toSorted()).toEqual(Object.keys(functions).toSorted());
    await apis.close();
  },
  900_000,
);
