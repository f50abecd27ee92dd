import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import ignore from 'ignore';
import { withCleanUp } from './clean-up';
import { StepFailure } from './command';

/** A function of the built code. */
export interface Endpoint {
  name: string;
  region: string;
  /** The vCPU of one instance. */
  cpu: number;
  /** How many vCPU all its instances may have. */
  maxCpu: number;
  /** The instances that stay while nobody calls. */
  minInstances: number;
  /** A page or call for everybody, or a function that the platform calls: by a schedule, or by a queue of tasks. */
  kind: 'public' | 'job' | 'task';
}

/** The functions that are built, and a hash of what firebase-tools uploads and configures for them. */
export interface Built {
  endpoints: readonly Endpoint[];
  hash: string;
}

/** What the SDK writes to functions.yaml: firebase-tools reads the functions of the code from it. */
interface Manifest {
  endpoints: Record<
    string,
    {
      region?: string[];
      cpu?: number;
      minInstances?: number | null;
      maxInstances?: number | null;
      scheduleTrigger?: object;
      taskQueueTrigger?: object;
    }
  >;
}

/**
 * Asks the built functions what they are, as firebase-tools does: the program of the package firebase-functions loads
 * the code with the settings `env`, and writes what it exports to a file.
 */
export async function readBuilt(root: string, env: Readonly<Record<string, string>>): Promise<Built> {
  const { functions } = JSON.parse(readFileSync(join(root, 'firebase.json'), 'utf8')) as {
    functions: { source: string; runtime: string; ignore: string[] }[];
  };
  const [{ source, runtime, ignore: left }] = functions as [(typeof functions)[number]];
  const manifest = await discover(root, join(root, source), env);
  const hash = createHash('sha256').update(JSON.stringify([runtime, manifest]));
  const isLeft = ignore().add(left);
  for (const file of filesUnder(join(root, source), '', (path) => isLeft.ignores(path)))
    hash.update(`${file}\n`).update(readFileSync(join(root, source, file)));
  return { endpoints: endpointsOf(manifest), hash: hash.digest('hex') };
}

function endpointsOf({ endpoints }: Manifest): Endpoint[] {
  return Object.entries(endpoints).map(([name, { region, cpu = 1, minInstances, maxInstances, ...triggers }]) => ({
    name,
    region: region![0]!,
    cpu,
    maxCpu: cpu * (maxInstances ?? 1),
    minInstances: minInstances ?? 0,
    kind: triggers.scheduleTrigger ? 'job' : triggers.taskQueueTrigger ? 'task' : 'public',
  }));
}

async function discover(root: string, folder: string, env: Readonly<Record<string, string>>): Promise<Manifest> {
  const temporary = mkdtempSync(join(tmpdir(), 'decks-functions-'));
  const output = join(temporary, 'functions.yaml');
  const cleanUp = () => rmSync(temporary, { recursive: true });
  return withCleanUp(cleanUp, async () => {
    const program = join(root, 'node_modules', '.bin', 'firebase-functions');
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [realpathSync(program)], {
      cwd: folder,
      env: { PATH, HOME, ...env, FUNCTIONS_CONTROL_API: 'true', FUNCTIONS_MANIFEST_OUTPUT_PATH: output },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [ended, told] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    const [status] = ended as [number | null];
    if (status !== 0) throw new StepFailure(`The built functions cannot be loaded:\n\n${told}`);
    return JSON.parse(readFileSync(output, 'utf8')) as Manifest;
  });
}

/** The files below the folder in a fixed order, without those that `isLeft` leaves out. */
function filesUnder(folder: string, path: string, isLeft: (path: string) => boolean): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = relative(folder, join(folder, path, entry.name));
      if (isLeft(inner)) return [];
      return entry.isDirectory() ? filesUnder(folder, inner, isLeft) : [inner];
    });
}
