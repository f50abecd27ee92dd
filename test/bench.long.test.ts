import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../local/project';
import { each } from './support/each';

interface Row {
  what: string;
  requests: number;
  refused: number;
  'p99 s': number;
  'most vCPU in use': number;
}

test('in the model of a new project, no mix of people is refused that comes alone', () => {
  const program = join(projectRoot, 'bench/run.mjs');
  const options = ['--simulate', '--quota', '20', '--json'];
  const { stdout } = spawnSync(process.execPath, [program, ...options], { encoding: 'utf8' });
  const { simulation, writes } = JSON.parse(stdout) as { simulation: Row[]; writes: Record<string, string | number>[] };
  expect(simulation).toHaveLength(5);
  for (const row of each(simulation)) expect(row['most vCPU in use']).toBeLessThanOrEqual(20);
  expect(simulation.slice(0, 4).map(({ what, refused }) => [what, refused])).toEqual(
    simulation.slice(0, 4).map(({ what }) => [what, 0]),
  );
  // Firestore sustains about one write a second on a document. A counter exceeds that while 5 000 come in one minute.
  const [inOne, inFive] = writes.map(({ what: _, ...perSecond }) => Object.values(perSecond) as number[]);
  expect(inFive).toHaveLength(3);
  expect(Math.max(...inFive!)).toBeLessThanOrEqual(1);
  expect(Math.max(...inOne!.slice(1))).toBeLessThanOrEqual(1);
  expect(inOne![0]).toBeLessThanOrEqual(3.5);
});
