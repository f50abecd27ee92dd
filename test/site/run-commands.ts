import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { example } from '../../functions/src/contract/example';
import { projectRoot } from '../../local/project';
import { deckInProcess } from '../cli/deck-in-process';
import { each } from '../support/each';
import { CODE, ENTRY, sceneOf, type Scene } from '../support/example-scene';
import { world } from '../support/world';
import { built, codeOf, documentedEndpoints, examplesOf, filesOf } from './pages';
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
function aComputer(name: string, { real, key }: Scene) {
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
async function expectToWork(command: string, folder: string, variables: Record<string, string>): Promise<void> {
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
async function withCode(command: string, email: string): Promise<string> {
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

/** What a guide says about other programs, whose effects are outside of this service. */
const OF_OTHERS = /^(npm|firebase|gcloud|export) /;
/** What runs until somebody ends it. Its own test is `test/cli/views.test.ts`. */
const ENDLESS = /^deck webhooks listen /;

/** What asks for codes while it runs, or needs a second service. Its own tests are `test/cli/account*.test.ts`. */
const OF_ACCOUNTS = /^deck account (export|import|email|delete)\b/;

/** The commands of a guide in their order, with those of a workflow. */
const commandsOf = (guide: string): string[] =>
  examplesOf(built(`docs/guides/${guide}.md`))
    .flatMap(({ language, code }) => {
      if (language === 'yaml') return [...code.matchAll(/- run: ([^|].*)$/gm)].map(([, command]) => command!);
      return language === 'sh' ? code.split(/(?<!\\)\n/) : [];
    })
    .filter((command) => ![OF_OTHERS, ENDLESS, OF_ACCOUNTS].some((form) => form.test(command)));
/** The guides that have commands of this service. */
export const guidesWithCommands = () =>
  filesOf('.md')
    .filter((file) => file.startsWith('docs/guides/'))
    .map((file) => file.replace(/.*\/|\.md$/g, ''))
    .filter((name) => commandsOf(name).length > 0);

/** Demands that the commands of a guide succeed, one after the other. */
export async function expectGuideToWork(name: string): Promise<void> {
  const given = await sceneOf(world, name);
  const { folder, variables } = aComputer(name, given);
  const isNew = name === 'first-deck';
  if (isNew) {
    delete variables['DECK_API_KEY'];
    rmSync(join(folder, 'talk'), { recursive: true });
  }
  for (const written of each(commandsOf(name))) {
    const real = given.real(written).replace(/^curl /, 'curl -sS --fail-with-body ');
    const command = await withCode(real, isNew ? `first-${given.owner.email}` : given.owner.email);
    await expectToWork(command, folder, variables);
  }
}
