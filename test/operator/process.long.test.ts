import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { projectRoot } from '../../local/project';
import { Screen } from '../cli/testbed';
import { type Account, type Deck, startWorld, world } from '../support/world';

let owner: Account;
let deck: Deck;

startWorld(async () => {
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
});

describe('the command of the operator, as a person runs it', () => {
  const command = [process.execPath, join(projectRoot, '.build', 'operator.js')] as const;
  /** The environment of a person's shell: nothing but the emulator is set. */
  const shell = () => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    FIRESTORE_EMULATOR_HOST: world.cloud.firestoreHost,
  });
  const change = (presentationId: string) =>
    ['take-down', '--presentation', presentationId, '--reason', 'x', '--project', 'demo-decks'] as const;

  // Builds what has changed.
  beforeAll(() => {
    const script = join(projectRoot, 'scripts', 'operator.mjs');
    expect(spawnSync(process.execPath, [script, '--help'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('mint-admin-key'),
    });
  });

  test('a command whose output nobody reads ends quietly', async () => {
    const child = spawn(command[0], [command[1], '--help'], { env: shell(), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const errors = text(child.stderr);
    expect([await once(child, 'exit'), await errors]).toEqual([[0, null], '']);
  });

  test('a change needs a confirmation, and a demo project needs an emulator', async () => {
    const run = (args: readonly string[], env: NodeJS.ProcessEnv) =>
      promisify(execFile)(command[0], [command[1], ...change(deck.presentationId), ...args], { env });
    await expect(run([], shell())).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    await expect(run(['--yes'], { ...shell(), FIRESTORE_EMULATOR_HOST: undefined })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('FIRESTORE_EMULATOR_HOST'),
    });
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
  });

  test.each([
    ['y\n', 0, 410],
    ['n\n', 1, 200],
    ['\x04', 1, 200],
  ])('at a terminal the command names the change and the project, and asks: %j', async (keys, code, status) => {
    const other = await world.aDeck(owner, undefined, 'Asked');
    const screen = new Screen([...command, ...change(other.presentationId)], shell());
    await screen.shows('Decks of the same owner with the same files stay open:');
    await screen.shows(`Shut every link of the deck "Asked" (${other.presentationId}), in demo-decks on the emulator`);
    await screen.shows('[y/N] ');
    screen.type(keys);
    expect(await screen.exitCode()).toBe(code);
    expect(await world.visit(world.viewUrl(other))).toBe(status);
  });
});
