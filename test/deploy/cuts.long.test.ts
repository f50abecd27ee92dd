import { each } from '../support/each';
import { continuesAfter, namesTheLook, wholeDeploy } from './cuts';
import { deploying } from './place';

const { anEmptyProject } = deploying();

it.each(['before', 'after'] as const)('continues when each change was cut off %s it took effect', async (side) => {
  const whole = await wholeDeploy(anEmptyProject);
  for (const cut of each(whole.changes)) await continuesAfter(await anEmptyProject(), cut, side, whole);
});

it('names the step and the command when a look is refused', async () => {
  const { looks } = await wholeDeploy(anEmptyProject);
  for (const look of each(looks)) await namesTheLook(await anEmptyProject(), look);
});
