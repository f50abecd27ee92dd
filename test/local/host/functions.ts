// The functions under test use the same SDK version as the deployed ones.
export { onRequest } from '../../../functions/node_modules/firebase-functions/lib/v2/providers/https';
export { onSchedule } from '../../../functions/node_modules/firebase-functions/lib/v2/providers/scheduler';
