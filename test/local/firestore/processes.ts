import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { IndexFile } from '../../../local/firestore';
import { connect, temporaryFolder } from './fixture';

export interface Process {
  /** Resolves with the next line of the output. */
  nextLine(): Promise<string>;
  /** The remaining lines of the output. */
  lines: AsyncIterable<string>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Programs {
  server(dataDir: string, port?: number): Process;
  /** A server with a limit on file sizes, in blocks of 512 or 1024 bytes (depends on the shell). */
  serverWithFileLimit(dataDir: string, blocks: number, indexes?: IndexFile): Process;
  client(host: string, ...task: string[]): Process;
}

/** Builds the programs in `programs/` before the tests of a file. Kills the running ones after the tests. */
export function buildPrograms(): Programs {
  const folder = temporaryFolder();
  const root = join(__dirname, '../../..');
  const running = new Set<ChildProcess>();
  const program = (name: string) => join(folder, `${name}.js`);

  beforeAll(() =>
    build({
      entryPoints: ['server', 'client'].map((name) => join(__dirname, 'programs', `${name}.ts`)),
      outdir: folder,
      bundle: true,
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    }),
  );
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  const start = (command: string, args: string[], environment: Record<string, string> = {}): Process => {
    const env = {
      ...process.env,
      NODE_PATH: join(root, 'node_modules'),
      METADATA_SERVER_DETECTION: 'none',
      ...environment,
    };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    const exited = once(child, 'exit').then(([exitCode]) => {
      running.delete(child);
      return exitCode as number | null;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      lines: { [Symbol.asyncIterator]: () => lines },
      nextLine: async () => String((await lines.next()).value),
      kill: (signal) => {
        child.kill(signal);
        return exited;
      },
    };
  };

  return {
    server: (dataDir, port = 0) => start(process.execPath, [program('server'), dataDir, String(port)]),
    serverWithFileLimit: (dataDir, blocks, indexes) => {
      // With SIGXFSZ ignored, a write beyond the limit fails with an error.
      const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
      const task = [program('server'), dataDir, '0', ...(indexes ? [JSON.stringify(indexes)] : [])];
      return start('sh', ['-c', script, process.execPath, ...task]);
    },
    client: (host, ...task) => start(process.execPath, [program('client'), ...task], { FIRESTORE_EMULATOR_HOST: host }),
  };
}

/** Kills a server under load, `kills` times. Counts what the next server has lost: acknowledged commits, and parts. */
export async function killedUnderLoad(programs: Programs, dataDir: string, kills: number) {
  const rounds: { collection: string; acknowledged: number[] }[] = [];
  let lost = 0;
  let torn = 0;
  for (let round = 0; round <= kills; round++) {
    const server = programs.server(dataDir);
    const host = `127.0.0.1:${await server.nextLine()}`;
    const db = connect(host);
    for (const { collection, acknowledged } of rounds.slice(-2)) {
      const parts = new Map<number, number>();
      for (const each of (await db.collection(collection).where('k', '>=', 0).get()).docs) {
        const k = each.get('k') as number;
        parts.set(k, (parts.get(k) ?? 0) + 1);
      }
      torn += [...parts.values()].filter((count) => count !== 3).length;
      lost += acknowledged.filter((k) => !parts.has(k)).length;
    }
    await db.terminate();
    if (round === kills) {
      await server.kill('SIGKILL');
      break;
    }
    // Another process commits three documents at a time and prints each acknowledged commit.
    const client = programs.client(host, 'load', `round${round}`);
    const acknowledged: number[] = [];
    while (acknowledged.length < 10 + 5 * round) acknowledged.push(Number(await client.nextLine()));
    await server.kill('SIGKILL');
    await client.kill('SIGKILL');
    for await (const line of client.lines) acknowledged.push(Number(line));
    rounds.push({ collection: `round${round}`, acknowledged });
  }
  return { kills: rounds.length, lost, torn };
}
