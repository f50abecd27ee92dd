import { isFailure } from '../failure';
import type { DeckService } from '../service/service';
import type { SessionStore } from './session-store';

/** What uploads belong to: a deck, or the upload session of a new deck. */
export type UploadTarget =
  | { kind: 'deck'; presentationId: string; baseVersion: number | undefined }
  | { kind: 'session'; presentationId: string; sessionId: string };

/** The deck that a push makes a version of. A new deck gets its upload session in `precheck`. */
export type Destination = Extract<UploadTarget, { kind: 'deck' }> | { kind: 'new-deck' };

/** The field of a call that names the upload target. */
export function targetField(target: UploadTarget): { presentationId: string } | { sessionId: string } {
  return target.kind === 'deck' ? { presentationId: target.presentationId } : { sessionId: target.sessionId };
}

const HASHES_PER_CALL = 2_000;

interface Precheck {
  target: UploadTarget;
  missing: Set<string>;
}

/**
 * Asks the service which of the hashes it lacks. For a new deck it opens an upload session, or resumes the session of
 * an interrupted push of this folder. The session is stored before the first upload, so that a push can be interrupted
 * at any time.
 */
export async function precheck(
  service: DeckService,
  destination: Destination,
  hashes: readonly string[],
  sessions: SessionStore | undefined,
): Promise<Precheck> {
  if (destination.kind === 'deck')
    return { target: destination, missing: await findMissing(service, destination, hashes) };
  const resumed = sessions && (await resume(service, hashes, sessions));
  if (resumed) return resumed;
  const first = await service.post('precheckAssets', { hashes: hashes.slice(0, HASHES_PER_CALL) });
  const { sessionId, presentationId } = first;
  if (!sessionId || !presentationId) throw new Error('The first precheck of a new deck has to open a session.');
  await sessions?.write({ sessionId, presentationId });
  const target: UploadTarget = { kind: 'session', sessionId, presentationId };
  const rest = await findMissing(service, target, hashes.slice(HASHES_PER_CALL));
  return { target, missing: new Set([...first.missing, ...rest]) };
}

/** Which of the hashes the service lacks. It asks for 2 000 hashes a call. */
export async function findMissing(
  service: DeckService,
  target: UploadTarget,
  hashes: readonly string[],
  signal?: AbortSignal,
): Promise<Set<string>> {
  const missing = new Set<string>();
  for (let start = 0; start < hashes.length; start += HASHES_PER_CALL) {
    const chunk = hashes.slice(start, start + HASHES_PER_CALL);
    const input = { hashes: chunk, ...targetField(target) };
    const answer = await service.post('precheckAssets', input, { signal });
    for (const hash of answer.missing) missing.add(hash);
  }
  return missing;
}

async function resume(
  service: DeckService,
  hashes: readonly string[],
  sessions: SessionStore,
): Promise<Precheck | undefined> {
  const session = await sessions.read();
  if (!session) return undefined;
  const { sessionId, presentationId } = session;
  // A commit ends its session. When the answer to the commit was lost, the deck exists and becomes the target.
  const candidates: UploadTarget[] = [
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
  await sessions.remove();
  return undefined;
}
