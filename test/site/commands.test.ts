import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { example } from '../../functions/src/contract/example';
import { projectRoot } from '../../local/project';
import { CODE, ENTRY, sceneOf, type Scene } from '../support/example-scene';
import { World } from '../support/world';
import { buildAll, built, documentedEndpoints, examplesOf, filesOf } from './pages';

buildAll();

/** The command of an endpoint's page. */
const commandOf = (name: string) =>
  examplesOf(built(`docs/api/${name}.md`)).find(({ code }) => code.startsWith('deck '))?.code;
const withCommand = documentedEndpoints().filter((name) => commandOf(name));
const guides = filesOf('.md').filter((file) => file.startsWith('docs/guides/'));

let world: World;
let home: string;
beforeAll(async () => {
  world = await World.start();
  home = await mkdtemp(join(tmpdir(), 'decks-commands-'));
});
afterAll(async () => {
  await world.stop();
  await rm(home, { recursive: true });
});

/** A folder with the deck of an account in `talk/`, as its last push left it, and a change since then. */
async function aComputer(name: string, { real, key }: Scene) {
  const folder = join(home, name);
  await mkdir(join(folder, 'talk'), { recursive: true });
  await writeFile(join(folder, 'talk/index.html'), `${ENTRY.bytes.toString()} and more`);
  const deck = {
    presentationId: real(example.deckId),
    baseUrl: world.cloud.baseUrl,
    version: 2,
    entryPath: 'index.html',
  };
  await writeFile(join(folder, 'talk/.deck.json'), JSON.stringify(deck));
  // A CI has a new computer for every push.
  const isKnown = name !== 'ci';
  const pushed = { [`${deck.baseUrl} ${deck.presentationId}`]: [await realpath(join(folder, 'talk'))] };
  await mkdir(join(folder, 'config/deck'), { recursive: true });
  if (isKnown) await writeFile(join(folder, 'config/deck/folders.json'), JSON.stringify(pushed));
  const variables = { DECK_BASE_URL: world.cloud.baseUrl, DECK_API_KEY: key, GITHUB_SHA: 'f00d' };
  return { folder, variables: { ...variables, XDG_CONFIG_HOME: join(folder, 'config') } as Record<string, string> };
}

async function run(command: string, folder: string, variables: Record<string, string>) {
  const deck = `deck() { "${process.execPath}" "${join(projectRoot, 'cli/dist/deck.js')}" "$@"; }`;
  const env = { PATH: process.env['PATH'], HOME: home, ...variables };
  const child = spawn('sh', ['-c', `${deck}\n${command}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { command, code: code as number | null, output: stdout + stderr };
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

const ok = (command: string) => ({ command, code: 0, output: expect.any(String) as string });

describe('the command of an endpoint', () => {
  test.each(withCommand)('that of %s does its work', async (name) => {
    const given = await sceneOf(world, name, commandOf(name));
    const { folder, variables } = await aComputer(name, given);
    // A new account and a new key are stored on the computer.
    if (/signup|login/.test(commandOf(name)!)) delete variables['DECK_API_KEY'];
    const command = await withCode(given.real(commandOf(name)!), given.owner.email);
    expect(await run(command, folder, variables)).toEqual(ok(command));
  });
});

/** What a guide says about other programs, whose effects are outside of this service. */
const OF_OTHERS = /^(npm|firebase|gcloud|export) /;

/** The commands of a guide in their order, with those of a workflow. */
function commandsOf(guide: string): string[] {
  return examplesOf(built(guide)).flatMap(({ language, code }) => {
    if (language === 'yaml') return [...code.matchAll(/- run: (.*)$/gm)].map(([, command]) => command!);
    return language === 'sh' ? code.split(/(?<!\\)\n/) : [];
  });
}

describe('a guide', () => {
  test.each(guides.map((file) => [file.replace(/.*\/|\.md$/g, ''), file]))(
    '%s: each command works',
    async (name, file) => {
      const given = await sceneOf(world, name);
      const { folder, variables } = await aComputer(name, given);
      const isNew = name === 'first-deck';
      const email = isNew ? `first-${given.owner.email}` : given.owner.email;
      if (isNew) {
        delete variables['DECK_API_KEY'];
        await rm(join(folder, 'talk'), { recursive: true });
      }
      for (const written of commandsOf(file).filter((each) => !OF_OTHERS.test(each))) {
        const command = await withCode(given.real(written).replace(/^curl /, 'curl -sS --fail-with-body '), email);
        expect(await run(command, folder, variables)).toEqual(ok(command));
      }
    },
  );
});
