import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../local/project';
import { Screen } from '../cli/testbed';
import { World, type Account, type Deck } from '../support/world';
import { actionsOn, type Ended } from './fixture';

/** Runs the real command as a process, as a person does. */

let world: World;
let owner: Account;
let deck: Deck;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  // Builds what has changed.
  expect((await run([script, '--help'])).code).toBe(0);
});
afterAll(() => world.stop());

/** What `npm run operator` runs, and what that ends in once everything is built. */
const script = join(projectRoot, 'scripts', 'operator.mjs');
const command = [process.execPath, join(projectRoot, '.build', 'operator.js')] as const;

/** The environment of a person's shell: nothing but the emulator is set. */
const shell = () => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  FIRESTORE_EMULATOR_HOST: world.cloud.firestoreHost,
});

async function run(args: string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    env: { ...shell(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

test('a reason that begins with a hyphen is written with an equals sign', async () => {
  const { presentationId } = await world.aDeck(owner);
  const takeDown = ['take-down', '--presentation', presentationId, '--project', 'demo-decks'];
  const wrong = await run([command[1], ...takeDown, '--reason', '--yes']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--option=value')]);
  const right = await run([command[1], ...takeDown, '--yes', '--reason=--yes']);
  expect([right.code, right.stderr, JSON.parse(right.stdout)]).toMatchObject([0, '', { presentationId }]);
  expect(await actionsOn(world, presentationId)).toMatchObject([{ reason: '--yes' }]);
});

test('a command whose output nobody reads ends quietly', async () => {
  const child = spawn(command[0], [command[1], '--help'], { env: shell(), stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const errors = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await errors).toBe('');
});

test('a change needs a confirmation, and a demo project needs an emulator', async () => {
  const change = ['take-down', '--presentation', deck.presentationId, '--reason', 'x', '--project', 'demo-decks'];
  const unasked = await run([command[1], ...change]);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const nowhere = await run([command[1], ...change, '--yes'], { FIRESTORE_EMULATOR_HOST: undefined });
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('FIRESTORE_EMULATOR_HOST')]);
  expect(await world.visit(world.viewUrl(deck))).toBe(200);
});

test.each([
  ['y\n', 0, 410],
  ['n\n', 1, 200],
  ['\x04', 1, 200],
])(
  'at a terminal the command names the change and the project, and asks for confirmation: %j',
  async (keys, code, status) => {
    const other = await world.aDeck(owner, undefined, 'Asked');
    const change = ['take-down', '--presentation', other.presentationId, '--reason', 'x', '--project', 'demo-decks'];
    const screen = new Screen([...command, ...change], shell());
    await screen.shows(`Shut every link of the deck "Asked" (${other.presentationId}), in demo-decks on the emulator`);
    await screen.shows('[y/N] ');
    screen.type(keys);
    expect(await screen.exitCode()).toBe(code);
    expect(await world.visit(world.viewUrl(other))).toBe(status);
  },
);

test('--help explains every command and option', async () => {
  const { code, stdout } = await run([script, '--help']);
  expect(code).toBe(0);
  for (const word of [
    'mint-admin-key',
    'revoke-key',
    'set-plan',
    'take-down',
    'put-back',
    'dismiss-reports',
    '--listing',
    'show',
    '--project',
    '--yes',
    '--as',
  ]) {
    expect(stdout).toContain(word);
  }
});
