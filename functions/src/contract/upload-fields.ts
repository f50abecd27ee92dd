import type { z } from 'zod';
import { always, presentationId, sessionId } from './fields';

/** The two fields of which one names the deck that files are for. */
export const targetFields = { presentationId: presentationId.nullish(), sessionId: sessionId.nullish() };

export type TargetFields = { [K in keyof typeof targetFields]?: z.output<(typeof targetFields)[K]> };

/** Whether one of the two was sent, and not both. Goes into `refine` with `oneTarget`. */
export const hasOneTarget = (input: TargetFields): boolean =>
  Boolean(input.presentationId) !== Boolean(input.sessionId);
export const oneTarget = { ...always, path: ['presentationId'], error: 'Send either presentationId or sessionId.' };
