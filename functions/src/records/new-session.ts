import { newId } from '../values/ids';
import { readIn } from './database';
import { takeRoom, usageRef } from './organization-usage';
import { organizationRef } from './organizations';
import { transact } from './transact';
import { newUploadSession, uploadSessionRef, type UploadSession } from './upload-sessions';

/**
 * Creates a session and returns its id and the reserved deck id. Throws rate-limited when the organization opened as
 * many sessions in the last hour as its plan allows.
 */
export function openSession(of: Pick<UploadSession, 'organizationId' | 'userId'>, now: Date) {
  const [sessionId, session] = [newId(), newUploadSession(of, now)];
  const { organizationId, presentationId } = session;
  return transact(async (tx) => {
    const [organization, usage] = await readIn(tx, organizationRef(organizationId), usageRef(organizationId));
    takeRoom(tx, organization!, usage, { newSessions: 1 }, now);
    tx.create(uploadSessionRef(sessionId), session);
    return { sessionId, presentationId };
  });
}
