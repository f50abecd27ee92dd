import { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { beginAccountDeletion } from '../functions/src/records/account-deletions';
import { listApiKeys } from '../functions/src/records/api-keys';
import { read, readIn } from '../functions/src/records/database';
import { recordAction } from '../functions/src/records/operator-actions';
import { usageRef } from '../functions/src/records/organization-usage';
import type { Organization } from '../functions/src/records/organizations';
import { decksOfOwner, presentationRef } from '../functions/src/records/presentations';
import { storedRecipientKey } from '../functions/src/records/recipient-key';
import { transact } from '../functions/src/records/transact';
import { userRef } from '../functions/src/records/users';
import { listWebhooks } from '../functions/src/records/webhooks';
import { performs, type RecordEntry } from './action';
import { required } from './command-line';
import { inGroups } from './groups';
import { findOrganization, ofOrganization } from './lookup';

/**
 * Deletes an account, for a person who asks the operator for it. It begins what `deleteAccount` begins, and the same
 * job ends it. The person is mailed.
 */
export const deleteAccount = ofOrganization(new Command('delete-account'))
  .description(
    'delete an account with everything that it has, which its person asked for; takes --organization or --email, and --reason; needs SERVICE_SECRET in the environment',
  )
  .option('--dry-run', 'print what would be deleted, and delete nothing')
  .action(
    performs<{ dryRun?: true }>(async ({ dryRun }, entry, command) => {
      const reason = required(command, 'reason');
      const organization = await findOrganization(command);
      const { organizationId, name } = organization;
      const what = await contentsOf(organization);
      if (dryRun) return { question: null, run: () => look(organizationId, entry, what) };
      const counts = `${what.decks.length} decks, ${what.apiKeys} keys, ${what.webhooks} webhooks`;
      return {
        question: `Delete the account ${JSON.stringify(name)} (${organizationId}) for good: ${counts}`,
        run: () => begin(organization, { ...entry, reason }),
      };
    }),
  );

/** What the deletion deletes, as a person can recognize it. */
async function contentsOf({ organizationId, ownerId }: Organization) {
  const ids: string[] = [];
  for await (const { id } of decksOfOwner(ownerId)) ids.push(id);
  const [[usage], keys, webhooks, decks] = await Promise.all([
    read(usageRef(organizationId)),
    listApiKeys(organizationId),
    listWebhooks(organizationId),
    inGroups(ids, async (id) => (await read(presentationRef(id)))[0]),
  ]);
  return {
    decks: decks.flatMap((deck) =>
      deck ? [{ presentationId: deck.presentationId, title: deck.title, listingSlug: deck.listingSlug }] : [],
    ),
    storedBytes: usage?.storedBytes ?? 0,
    apiKeys: keys.length,
    webhooks: webhooks.length,
  };
}

/** The access is recorded, as that of every command that shows data. */
async function look(organizationId: string, { action, ...entry }: RecordEntry, what: object): Promise<object> {
  const record = { ...entry, action: `${action} --dry-run`, target: organizationId };
  await transact(async (tx) => recordAction(tx, { ...record, at: new Date() }));
  return { organizationId, ...what };
}

async function begin({ organizationId, ownerId }: Organization, by: RecordEntry): Promise<object> {
  const key = await storedRecipientKey();
  return transact(async (tx) => {
    const [user] = await readIn(tx, userRef(ownerId));
    if (!user) return fail('not-found', undefined, { message: 'The account is being deleted already.' });
    await beginAccountDeletion(tx, { ...user, organizationId }, key, new Date(), by);
    return { organizationId, status: 'deleting' };
  });
}
