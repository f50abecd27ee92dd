import { newId } from '../values/ids';
import { readIn } from './database';
import { withRoom } from './organization-usage';
import { organizationRef } from './organizations';
import { transact } from './transact';
import { newUploadSession, uploadSessionRef, type UploadSession } from './upload-sessions';

/**
 * Creates a session and returns its id and the reserved deck id. Throws rate-limited when the organization opened as
 * many sessions in the last hour as its plan allows (decision 19).
 */
export function openSession(of: Pick<UploadSession, 'organizationId' | 'userId'>, now: Date) {
  const [sessionId, session] = [newId(), newUploadSession(of, now)];
  const { organizationId, presentationId } = session;
  return withRoom(organizationId, (room) =>
    transact(async (tx) => {
      const [organization, ...shards] = await readIn(tx, organizationRef(organizationId), ...room.refs);
      room.take(tx, organization!, shards, { newSessions: 1 }, now);
      tx.create(uploadSessionRef(sessionId), session);
      return { sessionId, presentationId };
    }),
  );
}
