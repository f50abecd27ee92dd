import type { Failure } from '../../client/src/failure';

/** The exit codes of `deck`, for scripts. `deck --help` shows them. */
export const exitCodes = {
  ok: 0,
  /** The service refused, or the folder is not in the state that the command needs. */
  refused: 1,
  usage: 2,
  /** There is no key, the key is not valid, or it may not do this. */
  notAllowed: 3,
  network: 4,
  /** An unexpected error of the client or of the service. */
  fault: 5,
  /** A part of what was asked for is done, such as some mails of several. */
  inPart: 6,
  /** A pull is done, and a person has to decide between the lines of two sides. */
  marked: 7,
  interrupted: 130,
} as const;

const ofCode = new Map<string, number>([
  ['usage', exitCodes.usage],
  ['wrong-address', exitCodes.usage],
  ['wrong-event', exitCodes.usage],
  ['EMAIL_REQUIRED', exitCodes.usage],
  ['EMAIL_INVALID', exitCodes.usage],
  ['not-signed-in', exitCodes.notAllowed],
  ['unauthenticated', exitCodes.notAllowed],
  ['permission-denied', exitCodes.notAllowed],
  ['unreachable', exitCodes.network],
  ['unexpected', exitCodes.fault],
  ['sent-in-part', exitCodes.inPart],
  ['merged-with-marks', exitCodes.marked],
  ['interrupted', exitCodes.interrupted],
]);

/** These failures come with the status of an answer that is not the service's, or without an answer. */
const networkCodes = ['unexpected-answer', 'upload-lost'];

/** The exit code of a failure. A failure that is not named here has been refused. */
export function exitCodeOf({ code, status }: Pick<Failure, 'code' | 'status'>): number {
  const known = ofCode.get(code);
  if (known !== undefined) return known;
  if (status !== undefined && status >= 500) return exitCodes.fault;
  return networkCodes.includes(code) ? exitCodes.network : exitCodes.refused;
}
