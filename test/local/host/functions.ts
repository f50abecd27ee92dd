// The functions under test are made by the very SDK that the deployed ones are made by.
export { onRequest } from '../../../functions/node_modules/firebase-functions/lib/v2/providers/https';
export { onSchedule } from '../../../functions/node_modules/firebase-functions/lib/v2/providers/scheduler';
