import { readIn } from '../../records/database';
import { GRACE_MS } from '../../records/deletions';
import { giveBack } from '../../records/organization-usage';
import { transact } from '../../records/transact';
import { expiredSessions, expireSession, uploadSessionRef } from '../../records/upload-sessions';
import { job } from '../../schedules/job';

/**
 * Deletes expired upload sessions. finishDeletions deletes their files. The transaction that creates a deck deletes its
 * session, so a session that exists has no deck.
 */
export const removeExpiredSessions = job('removeExpiredSessions', '*/10 * * * *', async ({ now, processItems }) => {
  // A commit that began before the session expired may still run. Its session must exist until it ends.
  const over = new Date(now.getTime() - GRACE_MS);
  const { done, failed } = await processItems(expiredSessions(over), async ({ id }) =>
    transact(async (tx) => {
      const [session] = await readIn(tx, uploadSessionRef(id));
      if (!session || session.expiresAt > over) return;
      const { organizationId, storedBytes } = session;
      if (storedBytes > 0) giveBack(tx, organizationId, { decks: 0, storedBytes });
      expireSession(tx, id, session);
    }),
  );
  return { removed: done, failed };
});
