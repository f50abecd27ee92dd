import { isFailure } from '../failure';
import type { Service } from '../service/service';
import { forgetSession, findSession, rememberSession } from './session';

/** Where a push goes: to an existing deck, or to the session of a new one. */
export type Target =
  | { kind: 'deck'; presentationId: string; baseVersion: number | undefined }
  | { kind: 'session'; presentationId: string; sessionId: string };

/** A target before the service was asked. */
export type Aim = Extract<Target, { kind: 'deck' }> | { kind: 'new' };

/** The field that names a target in a call. */
export function targetField(target: Target): { presentationId: string } | { sessionId: string } {
  return target.kind === 'deck' ? { presentationId: target.presentationId } : { sessionId: target.sessionId };
}

const hashesPerCall = 2_000;

interface Precheck {
  target: Target;
  missing: Set<string>;
}

/**
 * Asks which of the hashes have to be uploaded. A new deck gets its session here, or goes on with the one that a push of
 * this folder left behind; the session is remembered before any byte is sent, so that a push can be cut off at any time.
 */
export async function precheck(
  service: Service,
  aim: Aim,
  hashes: readonly string[],
  { folder, baseUrl }: { folder: string; baseUrl: string },
): Promise<Precheck> {
  if (aim.kind === 'deck') return { target: aim, missing: await findMissing(service, aim, hashes) };
  const resumed = await resume(service, hashes, folder, baseUrl);
  if (resumed) return resumed;
  const first = await service.post('precheckAssets', { hashes: hashes.slice(0, hashesPerCall) });
  const { sessionId, presentationId } = first;
  if (!sessionId || !presentationId) throw new Error('The first precheck of a new deck has to open a session.');
  await rememberSession({ folder, baseUrl, sessionId, presentationId });
  const target: Target = { kind: 'session', sessionId, presentationId };
  const rest = await findMissing(service, target, hashes.slice(hashesPerCall));
  return { target, missing: new Set([...first.missing, ...rest]) };
}

/** What the service lacks of the hashes, in calls of at most 2 000. */
export async function findMissing(service: Service, target: Target, hashes: readonly string[]): Promise<Set<string>> {
  const missing = new Set<string>();
  for (let start = 0; start < hashes.length; start += hashesPerCall) {
    const chunk = hashes.slice(start, start + hashesPerCall);
    const answer = await service.post('precheckAssets', { hashes: chunk, ...targetField(target) });
    for (const hash of answer.missing) missing.add(hash);
  }
  return missing;
}

async function resume(
  service: Service,
  hashes: readonly string[],
  folder: string,
  baseUrl: string,
): Promise<Precheck | undefined> {
  const session = await findSession(folder, baseUrl);
  if (!session) return undefined;
  const { sessionId, presentationId } = session;
  // A session that is gone may have ended in a deck whose commit was answered to nobody: then the deck is the target.
  const candidates: Target[] = [
    { kind: 'session', sessionId, presentationId },
    { kind: 'deck', presentationId, baseVersion: 1 },
  ];
  for (const target of candidates) {
    try {
      return { target, missing: await findMissing(service, target, hashes) };
    } catch (error) {
      if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    }
  }
  await forgetSession(folder, baseUrl);
  return undefined;
}
