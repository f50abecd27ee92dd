// The rows about starts: the time from the start of a process to its first answer, and the memory after it.
import { join } from 'node:path';
import { root } from '../scripts/root.mjs';
import { spread } from './comparison.mjs';
import { environmentOf, firstAnswer, startInstance } from './instances.mjs';
import { Program, residentMb } from './processes.mjs';
import { file, startService } from './service.mjs';

const REPETITIONS = 7;

export const startingRows = ['viewer-start', 'npm-start'];

export async function measureStarting(node, ids, onRow) {
  if (ids.includes('viewer-start')) onRow('first answer of an instance', await measureViewer(node));
  if (ids.includes('npm-start')) onRow('npm start to the first answer', await measureNpmStart(node));
}

/** The viewer alone in functions-framework, and a function without code. The viewer answers the entry of a deck. */
async function measureViewer(node) {
  const service = await startService({ node });
  const deck = await service.push([file('index.html', 22_000, 'text/html')]);
  const environment = environmentOf(service.ready);
  const starts = [
    { name: 'viewer', start: () => startInstance(node, { name: 'getSharedPresentation', environment }) },
    { name: 'bare framework', start: () => startInstance(node, { name: 'bare' }) },
  ];
  const path = `/${deck.presentationId}/_t/${deck.token}/`;
  const rows = await alternate(starts, ({ port }) => firstAnswer(`http://127.0.0.1:${port}${path}`));
  await service.stop();
  return rows;
}

/** The command behind `npm start`, with nothing to install and nothing to build. */
function measureNpmStart(node) {
  const run = (args) => async () => {
    const program = new Program(node, args);
    return { program, pid: program.pid };
  };
  const command = run([join(root, 'scripts/start.mjs'), '--ephemeral', '--no-schedules', '--json']);
  const ask = async ({ program }) => {
    const { baseUrl } = await program.ready();
    await firstAnswer(`${baseUrl}/getServiceInfo`);
  };
  return alternate([{ name: 'npm start', start: command }], ask);
}

/** Starts the programs in turn, asks each for one answer, and ends it. The last row is what the others exceed. */
async function alternate(starts, ask) {
  const runs = starts.map(({ name }) => ({ name, ms: [], mb: [] }));
  // The first repetition reads the files from disk and is not counted.
  for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
    for (const [i, { start }] of starts.entries()) {
      const begunAt = performance.now();
      const started = await start();
      await ask(started);
      const ms = performance.now() - begunAt;
      if (repetition > 0) {
        runs[i].ms.push(ms);
        runs[i].mb.push(residentMb(started.pid) ?? NaN);
      }
      await started.program.stop();
    }
  }
  return runs.map(({ name, ms, mb }) => ({ name, ms: spread(ms), mb: spread(mb) }));
}
