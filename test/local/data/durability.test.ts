import { killedUnderLoad } from './kills';
import { buildProgram } from './processes';

buildProgram('cloud');

test('a local cloud that is killed under load keeps every acknowledged write, and no write in part', async () => {
  expect(await killedUnderLoad(1)).toEqual({ damage: [], lost: [], torn: [], isEnough: true });
});
