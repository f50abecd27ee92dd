// `npm run bench -- --calls`: measures the calls that feed the simulation, in instances on the Node of `--node`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFramework } from '../scripts/install.mjs';
import { root } from '../scripts/root.mjs';

export async function measureCalls(node) {
  await installFramework();
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const { status } = spawnSync(process.execPath, [jest, '--testMatch', '**/calls.measure.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, INSTANCE_NODE: node, FIGURES: join(root, 'bench/calls.json') },
  });
  if (status !== 0) throw new Error('A call could not be measured.');
}
