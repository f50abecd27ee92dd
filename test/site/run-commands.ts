import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { example } from '../../functions/src/contract/example';
import { projectRoot } from '../../local/project';
import { deckInProcess } from '../cli/deck-in-process';
import { CODE, ENTRY, sceneOf, type Scene } from '../support/example-scene';
import { world } from '../support/world';
import { codeOf, documentedEndpoints } from './pages';
import { aHome, run, write } from './run-examples';

const commandOf = (name: string) => codeOf(name, /^deck /);
/** The endpoints whose page has a command. */
export const endpointsWithCommand = () => documentedEndpoints().filter(commandOf);

/** The folder of the computers on which commands of the documentation run. */
export const home = aHome();
/** The client, which the test file builds after this module is loaded. */
let deck: ReturnType<typeof deckInProcess> | undefined;
afterAll(() => {
  process.chdir(projectRoot);
  rmSync(home, { recursive: true });
});

/** A folder with the deck of an account in `talk/`, as its last push left it, and a change since then. */
export function aComputer(name: string, { real, key }: Scene) {
  const folder = join(home, name);
  const { baseUrl } = world.cloud;
  const presentationId = real(example.deckId);
  const known = { presentationId, baseUrl, version: 2, entryPath: 'index.html' };
  write(folder, 'talk/index.html', `${ENTRY.bytes.toString()} and more`);
  write(folder, 'talk/.deck.json', JSON.stringify(known));
  // A CI has a new computer for every push.
  const folders = name === 'ci' ? {} : { [`${baseUrl} ${presentationId}`]: [join(folder, 'talk')] };
  write(folder, 'config/deck/folders.json', JSON.stringify(folders));
  const config = join(folder, 'config');
  const variables = { DECK_BASE_URL: baseUrl, DECK_API_KEY: key, GITHUB_SHA: 'f00d', XDG_CONFIG_HOME: config };
  return { folder, variables: variables as Record<string, string> };
}

/** What a command of a guide asks for. */
const PASSCODE = 'orchid-47\n';

/** Demands that a line of a shell succeeds. `deck` runs in this process, with the arguments that the shell gives it. */
export async function expectToWork(command: string, folder: string, variables: Record<string, string>): Promise<void> {
  const given = join(folder, 'arguments');
  let ended = await run('sh', ['-c', `deck() { printf '%s\\0' "$@" > '${given}'; }\n${command}`], folder, variables);
  if (existsSync(given)) {
    process.chdir(folder);
    const args = readFileSync(given, 'utf8').split('\0').slice(0, -1);
    rmSync(given);
    const env = { PATH: process.env['PATH'], HOME: home, CHROME_PATH: 'none', ...variables };
    deck ??= deckInProcess(join(projectRoot, 'cli/dist/deck.js'));
    ended = await deck(args, env, PASSCODE);
  }
  expect({ command, ...ended }).toEqual({ ...ended, command, code: 0 });
}

/** The command with the address, and with a code that was mailed to it, if it names a code. */
export async function withCode(command: string, email: string): Promise<string> {
  const addressed = command.replaceAll(example.email, email);
  if (!addressed.includes(CODE)) return addressed;
  const codes = () => world.mailedCode(email);
  const code = await codes().catch(async () => {
    await world.call('cliRequestLoginOtp', { email });
    return codes();
  });
  return addressed.replace(CODE, code);
}

/** Demands that the command on the page of an endpoint succeeds. */
export async function expectCommandToWork(name: string): Promise<void> {
  const command = commandOf(name)!;
  const given = await sceneOf(world, name, command);
  const { folder, variables } = aComputer(name, given);
  // A new account and a new key are stored on the computer.
  if (/signup|login/.test(command)) delete variables['DECK_API_KEY'];
  await expectToWork(await withCode(given.real(command), given.owner.email), folder, variables);
}
