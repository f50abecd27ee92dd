import { dashboardMutants } from './dashboard';
import { deckOriginMutants } from './deck-origins';
import { deployMutants } from './deploy';
import { isolationMutants } from './isolation';
import { localMutants } from './local';
import type { Mutant } from './mutant';
import { pipelineMutants } from './pipeline';
import { policyMutants } from './policy';
import { recordMutants } from './records';
import { sharedCallMutants } from './shared-calls';
import { siteMutants } from './site';
import { workflowMutants } from './workflows';

export { plant } from './mutant';

/** Every fault of `npm run mutants`. */
export const mutants: readonly Mutant[] = [
  ...policyMutants,
  ...recordMutants,
  ...sharedCallMutants,
  ...workflowMutants,
  ...pipelineMutants,
  ...isolationMutants,
  ...localMutants,
  ...deployMutants,
  ...deckOriginMutants,
  ...siteMutants,
  ...dashboardMutants,
];
