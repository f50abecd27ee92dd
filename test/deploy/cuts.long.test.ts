import { each } from '../support/each';
import { continuesAfter, namesTheLook, wholeDeploy } from './cuts';
import { deploying } from './place';
import { originStories } from './origins';

const made = deploying();
const stories = { 'a first deploy': { start: made.anEmptyProject }, ...originStories(made) };

describe.each(Object.entries(stories))('%s', (_name, story) => {
  it.each(['before', 'after'] as const)('continues when each change was cut off %s it took effect', async (side) => {
    const whole = await wholeDeploy(story);
    for (const cut of each(whole.changes)) await continuesAfter(story, cut, side, whole);
  });
});

it('names the step and the command when a look is refused', async () => {
  const story = stories['a first deploy'];
  const { looks } = await wholeDeploy(story);
  for (const look of each(looks)) await namesTheLook(story, look);
});
