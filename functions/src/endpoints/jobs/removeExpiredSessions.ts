import { readIn } from '../../records/database';
import { GRACE_MS } from '../../records/deletions';
import { transact } from '../../records/transact';
import { expiredSessions, expireSession, uploadSessionRef } from '../../records/upload-sessions';
import { job } from '../../schedules/job';

/**
 * Removes upload sessions whose hour is over and hands what was uploaded in them to finishDeletions. A commit consumes its session in the transaction that
 * makes the deck: as long as there is a session there is no deck.
 */
export const removeExpiredSessions = job('removeExpiredSessions', 'every 10 minutes', async ({ now, processItems }) => {
  // A commit that was let in within the hour is let through.
  const over = new Date(now.getTime() - GRACE_MS);
  const { done, failed } = await processItems(expiredSessions(over), async ({ id }) =>
    transact(async (tx) => {
      const [session] = await readIn(tx, uploadSessionRef(id));
      if (!session || session.expiresAt > over) return;
      expireSession(tx, id, session);
    }),
  );
  return { removed: done, failed };
});
