// The rows about starts: the time from the start of a process to its first answer or its end, and its memory.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../scripts/root.mjs';
import { median } from './comparison.mjs';
import { environmentOf, firstAnswer, startInstance } from './instances.mjs';
import { onServerProcessor, processorMs, Program, residentMb } from './processes.mjs';
import { file, startService } from './service.mjs';

const REPETITIONS = 7;
/** A start of the client is short, and its noise is large. */
const CLIENT_REPETITIONS = 31;

export const startingRows = ['viewer-start', 'npm-start', 'client-start'];

const bareFramework = (node) => ({ name: 'bare framework', start: () => startInstance(node, { name: 'bare' }) });

export async function measureStarting(node, ids, onRow) {
  if (ids.includes('viewer-start')) {
    const runs = await startViewers(node);
    onRow(rowOf('viewer-start', 'first answer of an instance of the viewer, its time', runs));
    onRow({ id: 'viewer-memory', what: 'its memory then, in MB', base: '1 MB', ratios: runs[0].mb, details: [] });
  }
  if (ids.includes('npm-start'))
    onRow(rowOf('npm-start', 'npm start to the first answer', await startLocalCloud(node)));
  if (ids.includes('client-start')) onRow(rowOf('client-start', 'deck --version, start to end', runClient(node)));
}

/** The built client, and Node without a program. Both run to their end. */
function runClient(node) {
  const client = join(root, 'cli/dist/deck.js');
  const programs = [
    { name: 'deck --version', args: [client, '--version'] },
    { name: 'an empty Node', args: ['--eval', ''] },
  ];
  const runs = programs.map(({ name }) => ({ name, ms: [], cpuMs: [], mb: [] }));
  for (let repetition = 0; repetition <= CLIENT_REPETITIONS; repetition++)
    for (const [i, { args }] of programs.entries()) {
      const used = runOnce(node, args);
      if (repetition > 0) for (const [key, value] of Object.entries(used)) runs[i][key].push(value);
    }
  return runs;
}

function runOnce(node, args) {
  const [command, ...words] = onServerProcessor([node, '--require', join(root, 'bench/at-exit.cjs'), ...args]);
  const begunAt = performance.now();
  const { status, output } = spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const ms = performance.now() - begunAt;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}.`);
  return { ms, ...JSON.parse(output[3].toString()) };
}

/** The viewer alone in functions-framework, and a function without code. The viewer answers the entry of a deck. */
async function startViewers(node) {
  const service = await startService({ node });
  const deck = await service.push([file('index.html', 22_000, 'text/html')]);
  const environment = environmentOf(service.ready);
  const starts = [
    { name: 'viewer', start: () => startInstance(node, { name: 'getSharedPresentation', environment }) },
    bareFramework(node),
  ];
  const path = `/${deck.presentationId}/_t/${deck.token}/`;
  const rows = await alternate(starts, ({ port }) => firstAnswer(`http://127.0.0.1:${port}${path}`));
  await service.stop();
  return rows;
}

/** The command behind `npm start`, with nothing to install and nothing to build. */
function startLocalCloud(node) {
  const start = async () => {
    const options = ['--ephemeral', '--no-schedules', '--json'];
    const program = new Program(node, [join(root, 'scripts/start.mjs'), ...options]);
    return { program, pid: program.pid };
  };
  const ask = async ({ program, port }) => {
    const url = port ? `http://127.0.0.1:${port}/` : (await program.ready()).baseUrl;
    await firstAnswer(`${url}/getServiceInfo`);
  };
  return alternate([{ name: 'npm start', start }, bareFramework(node)], ask);
}

/** Starts the programs in turn, asks each for one answer, and ends it. */
async function alternate(starts, ask) {
  const runs = starts.map(({ name }) => ({ name, ms: [], cpuMs: [], mb: [] }));
  // The first repetition reads the files from disk and is not counted.
  for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
    for (const [i, { start }] of starts.entries()) {
      const begunAt = performance.now();
      const started = await start();
      await ask(started);
      const ms = performance.now() - begunAt;
      if (repetition > 0) {
        runs[i].ms.push(ms);
        runs[i].cpuMs.push(processorMs(started.pid) ?? NaN);
        runs[i].mb.push(residentMb(started.pid) ?? NaN);
      }
      await started.program.stop();
    }
  }
  return runs;
}

/** The row of the first program against the second. */
function rowOf(id, what, runs) {
  const [ours, base] = runs;
  const ratios = (key) => ours[key].map((value, i) => value / base[key][i]);
  return {
    id,
    what,
    base: base.name,
    ratios: ratios('ms'),
    cpuRatios: ratios('cpuMs'),
    details: runs.map(({ name, ms, cpuMs, mb }) => ({
      work: what,
      program: name,
      ms: median(ms),
      cpuMs: median(cpuMs),
      mb: median(mb),
    })),
  };
}
