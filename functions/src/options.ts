import { setGlobalOptions } from 'firebase-functions';
import { DEFAULT_TIMEOUT_SECONDS, REGION } from './config';

// Global options apply only to functions that are defined after this call, so index.ts imports this module first.
setGlobalOptions({
  region: REGION,
  memory: '512MiB',
  timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
  concurrency: 80,
  maxInstances: 100,
  ...(process.env['SERVICE_ACCOUNT'] && { serviceAccount: process.env['SERVICE_ACCOUNT'] }),
});
