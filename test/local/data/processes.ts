import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import type { Addresses } from '../../../local';
import type { IndexFile } from '../../../local/firestore';
import { projectRoot } from '../../../local/project';

// The programs look for the folder of the project above them.
export const programOf = (name: string) => join(projectRoot, '.build', 'test', `${name}.js`);

/** Builds a program of `programs/` before the tests of a file. */
export function buildProgram(name: string): void {
  const entry = join(__dirname, 'programs', `${name}.ts`);
  const common = { bundle: true, platform: 'node', packages: 'external', logLevel: 'error' } as const;
  beforeAll(() => void buildSync({ ...common, entryPoints: [entry], outfile: programOf(name) }));
}

const running = new Set<ChildProcess>();
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

export type CloudProcess = { pid: number; addresses: Addresses; kill: () => Promise<unknown> };

interface CloudOptions {
  /** The largest size of a file, in blocks of 512 or 1024 bytes (depends on the shell). */
  fileBlocks?: number;
  /** Starts Firestore alone, with these indexes. */
  indexes?: IndexFile;
}

/** Starts `programs/cloud.ts`. Rejects with what it prints when it cannot start. */
export async function startCloud(dataDir: string, { fileBlocks, indexes }: CloudOptions = {}): Promise<CloudProcess> {
  // With SIGXFSZ ignored, a write beyond the limit fails with an error.
  const limit = fileBlocks === undefined ? '' : `trap '' XFSZ; ulimit -S -f ${fileBlocks}; `;
  const args = [process.execPath, programOf('cloud'), dataDir, ...(indexes ? [JSON.stringify(indexes)] : [])];
  // LMDB prints a line for each page that the disk refuses.
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const kill = () => {
    child.kill('SIGKILL');
    return exited;
  };
  if (!line.startsWith('{')) throw new Error(line);
  return { pid: child.pid!, addresses: JSON.parse(line) as Addresses, kill };
}
