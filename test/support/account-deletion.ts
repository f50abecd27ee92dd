import { beginAccountDeletion } from '../../functions/src/records/account-deletions';
import { readIn } from '../../functions/src/records/database';
import { recipientKey } from '../../functions/src/records/recipient-key';
import { transact } from '../../functions/src/records/transact';
import { userRef } from '../../functions/src/records/users';
import { passSeconds } from './clock';
import { runJob } from './jobs';
import type { Account } from './world';

/** Ends an account as deleteAccount does, without its code. */
export async function endAccount({ userId, organizationId }: Account): Promise<void> {
  const key = await recipientKey();
  await transact(async (tx) => {
    const [user] = await readIn(tx, userRef(userId));
    await beginAccountDeletion(tx, { ...user!, organizationId }, key, new Date());
  });
}

/** Runs the job until everything of ended accounts is deleted: now, and when no earlier call can still write. */
export async function finishAccountDeletions(): Promise<void> {
  await runJob('deleteAccounts');
  passSeconds(1801);
  await runJob('deleteAccounts');
}
