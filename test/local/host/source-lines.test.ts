import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../local/project';
import { deployTo } from '../../support/deployed';
import { functionsFolder, startInstance, type FrameworkInstance } from '../../support/framework';
import { World } from '../../support/world';

/** The places in the stacks that an instance logs, and when it reads the source map. */

let world: World;
const deployed = mkdtempSync(join(tmpdir(), 'deployed-'));
/** Prints a line when the instance opens a source map. */
const watcher = join(deployed, 'watch-maps.cjs');

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
  deployTo(deployed);
  writeFileSync(
    watcher,
    `const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...rest) => {
      if (String(file).endsWith('functions.js.map')) console.log('MAP READ');
      return readFileSync(file, ...rest);
    };`,
  );
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
  rmSync(deployed, { recursive: true });
});

/** Runs `work` with an instance that signs people up. */
async function withInstance(settings: Record<string, string>, work: (instance: FrameworkInstance) => Promise<void>) {
  const environment = { ...world.cloud.environment, NODE_OPTIONS: `--require ${watcher}`, ...settings };
  const instance = await startInstance('cliRequestSignupOtp', environment, deployed);
  await work(instance).finally(instance.stop);
}

let people = 0;

/** Asks for a code for a new address: a second code for one address has to wait. */
const signUp = async ({ url }: FrameworkInstance) => {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ email: `ada-${people++}@example.org` }) }))
    .status;
};

/** The first line of the log that contains `text`. */
const lineWith = (instance: FrameworkInstance, text: string) =>
  new Promise<string>((resolve) => {
    const look = setInterval(() => {
      const line = instance
        .output()
        .split('\n')
        .find((each) => each.includes(text));
      if (!line) return;
      clearInterval(look);
      resolve(line);
    }, 20);
  });

/** The status of a request without a usable secret, and the stack in its line. */
async function fault(instance: FrameworkInstance): Promise<{ status: number; stack: string }> {
  const status = await signUp(instance);
  const line = await lineWith(instance, `${status} POST`);
  return { status, stack: (JSON.parse(line) as { stack_trace: string }).stack_trace };
}

const withoutSecret = { SERVICE_SECRET: 'too short' };

test('an instance that reads and writes documents does not read the source map', async () => {
  await withInstance({}, async (instance) => {
    expect(await signUp(instance)).toBe(200);
    const line = await lineWith(instance, '200 POST');
    expect((JSON.parse(line) as { databaseWrites: number }).databaseWrites).toBeGreaterThan(0);
    expect(instance.output()).not.toContain('MAP READ');
  });
});

test('the log of a 500 names the line of the source, without a path of the machine', async () => {
  await withInstance(withoutSecret, async (instance) => {
    const { status, stack } = await fault(instance);
    expect(status).toBe(500);
    const source = readFileSync(join(functionsFolder, 'src', 'config.ts'), 'utf8').split('\n');
    const thrownAt = source.findIndex((line) => line.includes('throw new Error(`The first line of SERVICE_SECRET')) + 1;
    expect(stack).toContain(`(functions/src/config.ts:${thrownAt}:`);
    expect(stack).toMatch(/functions\/src\/http\/pipeline\.ts:\d+:\d+/);
    expect(stack).not.toContain(tmpdir());
    expect(instance.output().match(/MAP READ/g)).toHaveLength(1);
  });
});

test.each([
  ['no source map', undefined],
  ['a source map that is cut off', '{"version":3,"sources":['],
])('with %s the log of a 500 has places in the bundle', async (_what, contents) => {
  const file = join(deployed, 'lib', 'functions.js.map');
  const map = readFileSync(file);
  if (contents === undefined) rmSync(file);
  else writeFileSync(file, contents);
  try {
    await withInstance(withoutSecret, async (instance) => {
      const { status, stack } = await fault(instance);
      expect(status).toBe(500);
      expect(stack).toMatch(
        /^Error: The first line of SERVICE_SECRET[^]*\n {4}at .*functions\/lib\/functions\.js:\d+:\d+/,
      );
      expect(stack).not.toContain(tmpdir());
    });
  } finally {
    writeFileSync(file, map);
  }
});
