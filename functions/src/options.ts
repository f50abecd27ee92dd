import { setGlobalOptions } from 'firebase-functions';
import { region, serviceAccount } from './config';

// Global options apply only to functions that are defined after this call, so index.ts imports this module first.
// resources.ts holds the other options.
const account = serviceAccount();
setGlobalOptions({ region: region(), ...(account && { serviceAccount: account }) });
