import { createAccount } from './account';
import { sendAlerts } from './alerts';
import { prepareBucket } from './bucket';
import { checkClientAddress, checkService } from './check';
import { makeBalancer, openOrigins } from './deck-origins';
import { initializeAuthentication } from './identities';
import { excludeAddresses } from './logs';
import { preflight } from './preflight';
import { addFirebase, createDatabase, enableApis } from './project';
import { allowJobs, release } from './release';
import { restoreDatabase } from './restore';
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
  allowJobs,
  checkService,
  checkClientAddress,
  signUp,
  sendAlerts,
  makeBalancer,
  openOrigins,
];
