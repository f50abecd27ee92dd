// The rows about uploads: the service and the least-work server, which only writes each body to a file and syncs it.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inParallel, file, startService } from './service.mjs';
import { processorMs } from './processes.mjs';
import { median } from './comparison.mjs';
import { scratch } from './servers.mjs';

const REPETITIONS = 3;
const FILES = 500;
const FILE_BYTES = 20_000;
const LARGE_BYTES = 40 << 20;

export const uploadingRows = ['uploads-500', 'uploads-large'];

/** Measures the asked rows. The service that uploads is another process than that of the viewers. */
export async function measureUploading(node, leastWork, ids, onRow) {
  // A named data folder makes the service durable: it syncs what it stores.
  const data = mkdtempSync(join(scratch, 'uploads-bench-'));
  const service = await startService({ node, data, pinned: true });
  try {
    if (ids.includes('uploads-500')) await measureSmallFiles(service, leastWork, onRow);
    if (ids.includes('uploads-large')) await measureLargeFiles(service, leastWork, onRow);
  } finally {
    await service.stop();
    rmSync(data, { recursive: true });
  }
}

async function measureSmallFiles(service, leastWork, onRow) {
  const target = await service.openSession();
  const many = () => Array.from({ length: FILES }, (_, i) => file(`f${i}`, FILE_BYTES));
  const ours = service.program.pid;
  const works = [
    { name: 'one upload a file, 8 at a time', pid: ours, run: (files) => service.uploadSingly(target, files) },
    { name: 'forms, as `deck push`', pid: ours, run: (files) => service.uploadForms(target, files) },
    {
      name: 'least-work, one upload a file',
      pid: leastWork.pid,
      run: (files) => inParallel(8, files, (next) => post(leastWork, next)),
    },
  ];
  onRow(rowOf('uploads-500', `${FILES} files of 20 KB, one upload a file`, await alternate(works, many)));
}

async function measureLargeFiles(service, leastWork, onRow) {
  const target = await service.openSession();
  const eight = () => Array.from({ length: 8 }, (_, i) => file(`film${i}.mp4`, LARGE_BYTES));
  const works = [
    {
      name: 'ours',
      pid: service.program.pid,
      run: (files) => inParallel(8, files, (next) => service.upload(target, next)),
    },
    { name: 'least-work', pid: leastWork.pid, run: (files) => inParallel(8, files, (next) => post(leastWork, next)) },
  ];
  onRow(rowOf('uploads-large', '8 uploads of 40 MiB at once', await alternate(works, eight)));
}

async function post({ port }, { bytes }) {
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'file');
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`least-work: ${response.status}`);
  await response.arrayBuffer();
}

/** Runs the works in turn with new files each time. */
async function alternate(works, makeFiles) {
  const runs = works.map(({ name }) => ({ name, seconds: [], cpuSeconds: [] }));
  // The first repetition warms the code and is not counted.
  for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
    for (const [i, { pid, run }] of works.entries()) {
      const files = makeFiles();
      const [cpuBefore, begunAt] = [processorMs(pid), performance.now()];
      await run(files);
      if (repetition === 0) continue;
      runs[i].seconds.push((performance.now() - begunAt) / 1000);
      if (cpuBefore !== undefined) runs[i].cpuSeconds.push((processorMs(pid) - cpuBefore) / 1000);
    }
  }
  return runs;
}

/** The row of the first way to upload against the last one, which is that of the least-work server. */
function rowOf(id, what, runs) {
  const [ours, base] = [runs[0], runs.at(-1)];
  const ratios = (run, key) => run[key].map((value, i) => value / base[key][i]);
  return {
    id,
    what,
    base: 'least-work',
    ratios: ratios(ours, 'seconds'),
    cpuRatios: ratios(ours, 'cpuSeconds'),
    details: runs.map((run) => ({
      work: what,
      how: run.name,
      seconds: median(run.seconds),
      cpuSeconds: median(run.cpuSeconds),
      ratio: median(ratios(run, 'seconds')),
      cpuRatio: median(ratios(run, 'cpuSeconds')),
    })),
  };
}
