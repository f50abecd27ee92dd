import { createAccount } from './account';
import { sendAlerts } from './alerts';
import { speedUpStarts } from './boost';
import { prepareBucket } from './bucket';
import { checkClientAddress, checkService } from './check';
import { makeBalancer, openOrigins } from './deck-origins';
import { initializeAuthentication } from './identities';
import { excludeAddresses } from './logs';
import { preflight } from './preflight';
import { addFirebase, createDatabase, enableApis } from './project';
import { publish } from './public';
import { allowJobs, release } from './release';
import { restoreDatabase } from './restore';
import { rollBack } from './rollback';
import { protectData } from './safety';
import { setSecrets } from './secrets';
import { settings } from './settings';
import { signUp } from './sign-up';
import type { Step } from './step';
import { tools } from './tools';

/** The steps of a deploy, in order. */
export const steps: readonly Step[] = [
  tools,
  preflight,
  settings,
  enableApis,
  addFirebase,
  restoreDatabase,
  createDatabase,
  prepareBucket,
  protectData,
  initializeAuthentication,
  createAccount,
  setSecrets,
  excludeAddresses,
  release,
  publish,
  speedUpStarts,
  allowJobs,
  checkService,
  checkClientAddress,
  signUp,
  sendAlerts,
  makeBalancer,
  openOrigins,
];

/** The steps of a rollback, in order. */
export const rollbackSteps: readonly Step[] = [tools, rollBack];
