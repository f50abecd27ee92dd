import { gcloud } from '../command';
import { logExclusion } from '../tables';
import type { Step } from './step';

export const excludeAddresses: Step = {
  name: 'logs',
  about: 'the log does not store request lines with secret addresses',
  async run(deploy) {
    const { project } = deploy;
    const { exclusions = [] } = await deploy.look<{
      exclusions?: { name: string; filter: string; disabled?: boolean }[];
    }>(gcloud('logging', 'sinks', 'describe', '_Default', `--project=${project}`, '--format=json'), {});
    const { name, filter } = logExclusion;
    const found = exclusions.find((each) => each.name === name);
    if (found?.filter !== filter || found.disabled) {
      const option = found ? '--update-exclusion' : '--add-exclusion';
      const enabled = found ? ',disabled=false' : '';
      await deploy.act(
        gcloud(
          'logging',
          'sinks',
          'update',
          '_Default',
          `${option}=name=${name},filter=${filter}${enabled}`,
          `--project=${project}`,
        ),
        'Your account needs the role Logs Configuration Writer on the project.',
      );
    }
    return `${name} on the sink _Default`;
  },
};
