import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../local/project';
import type { Account, World } from './world';

export interface Pushed {
  presentationId: string;
  title: string;
  entryPath: string;
  shareUrl: string;
  token: string;
}

/** Runs the built client in a folder, on a computer on which nobody has signed in. Returns what it prints. */
export async function runDeck(args: string[], variables: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  const child = spawn(process.execPath, [join(projectRoot, 'cli/dist/deck.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], CHROME_PATH: 'none', ...variables },
    cwd,
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`deck ${args.join(' ')} ended with ${code}.\n${stdout}${stderr}`);
  return stdout;
}

/** Pushes a folder as it is. The client keeps its settings in `config`. */
export async function pushFolder(world: World, owner: Account, folder: string, config: string): Promise<Pushed> {
  const variables = { DECK_BASE_URL: world.cloud.baseUrl, DECK_API_KEY: owner.key, XDG_CONFIG_HOME: config };
  const output = await runDeck(['push', folder, '--json'], variables, projectRoot);
  const pushed = JSON.parse(output) as Omit<Pushed, 'token'>;
  return { ...pushed, token: new URL(pushed.shareUrl).searchParams.get('token')! };
}
