// Compares servers: slices of load that alternate (A B C A B C …), so that all of them have the same noise.
import { Connection, loadFor } from './load.mjs';

const SLICE_MS = 500;

export const median = (values) => sorted(values)[values.length >> 1];
/** The value below which that share of the values lies. */
export const percentile = (values, share) => sorted(values)[Math.floor(values.length * share)];
const sorted = (values) => [...values].sort((a, b) => a - b);

/** The smallest, the middle and the largest value. */
export const spread = (values) => ({ min: Math.min(...values), median: median(values), max: Math.max(...values) });

/**
 * Loads each server with `connections` connections in turn, `repetitions` times after one slice that warms it. `work`
 * returns, for a server, a function that makes the text of the next request, and the expected answer.
 */
export async function compareLoad(servers, { connections, repetitions, work, sliceMs = SLICE_MS }) {
  const runs = await Promise.all(
    servers.map(async (server) => ({
      server,
      ...(await work(server)),
      slices: [],
      connections: await Promise.all(Array.from({ length: connections }, () => Connection.open(server.port))),
    })),
  );
  try {
    for (let repetition = 0; repetition <= repetitions; repetition++) {
      for (const run of runs) {
        const slice = await measureSlice(run, sliceMs);
        if (repetition > 0) run.slices.push(slice);
      }
    }
  } finally {
    for (const run of runs) for (const connection of run.connections) connection.close();
  }
  return runs.map(({ server, slices }) => ({ name: server.name, slices }));
}

async function measureSlice({ server, connections, next, expected }, ms) {
  const [cpuBefore, waitedBefore, clientBefore] = [server.processorMs(), server.waitedMs(), process.cpuUsage()];
  const { seconds, latencies } = await loadFor(ms, connections, next, expected);
  const client = process.cpuUsage(clientBefore);
  return {
    rate: latencies.length / seconds,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    cpuMs: cpuBefore === undefined ? undefined : (server.processorMs() - cpuBefore) / latencies.length,
    starved: waitedBefore === undefined ? undefined : (server.waitedMs() - waitedBefore) / 1000 / seconds,
    clientBusy: (client.user + client.system) / 1e6 / seconds,
  };
}
