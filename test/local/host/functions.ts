import type { IncomingMessage, ServerResponse } from 'node:http';
// The functions under test use the same SDK version as the deployed ones.
import { onRequest } from 'firebase-functions/https';
export { onSchedule } from 'firebase-functions/scheduler';
export { onTaskDispatched } from 'firebase-functions/tasks';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A function that gets Node's own request and response: the framework's middleware is not in front of it. */
export const plain = (handler: Handler) => onRequest(handler as unknown as Parameters<typeof onRequest>[0] & Handler);
