import { z } from 'zod';
import { stillCounted } from '../policy/mail-rates';
import { withinWindow } from '../policy/request-windows';
import { mailboxOf } from '../values/mailboxes';
import { mac } from '../values/secrets';
import { DAY_MS, DAY_SECONDS } from '../values/units';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { listingWindow, listingWindowRef } from './listing-windows';
import { carriedReports, joinedReports, readCarriedReports, storeCarriedReports } from './mail-reports';
import { mailWindow, mailWindowRef } from './mail-windows';
import { organizationRef, type FormerAccount } from './organizations';
import { newState, webhookStateRef, writeState } from './webhook-states';

/** For so long a new account of the same mailbox takes over what an operator or others did to the former one. */
const KEPT_MS = 90 * DAY_MS;
/** The newest take-downs and mailing calls that are kept. They bound the record. */
const MAX_TAKEDOWNS = 50;
const MAX_SENDS = 1000;

type Takedown = FormerAccount['takedowns'][number];

/**
 * What stays of the deleted accounts of a mailbox: what limits them, and nothing that tells who it was. Its id is a
 * keyed hash of the mailbox. The TTL policy deletes it.
 */
const formerAccount = z.object({
  /** The organizations whose mails recipients stopped. */
  organizationIds: z.array(z.string()),
  takedowns: z.array(z.object({ what: z.enum(['deck', 'listing']), at: date, reason: z.string() })),
  mailWindow: mailWindow.nullable(),
  listingWindow: listingWindow.nullable(),
  mailReports: carriedReports.nullable(),
  /** Since when an operator has stopped the webhooks. */
  webhooksStoppedAt: date.nullable(),
  /** The organization of the new account of the mailbox. */
  takenOverBy: z.string().nullable(),
  expiresAt: date,
});
export type StoredFormerAccount = z.output<typeof formerAccount>;

/** `key` is that of records/recipient-key. */
export const formerAccountRef = (key: string, email: string) =>
  collection(paths.formerAccounts, formerAccount).doc(mac(key, 'former-account', mailboxOf(email)));

/**
 * Reads what stays of an account that is deleted. Returns what keeps it for each of its addresses: a transaction reads
 * before it writes.
 */
export async function keepingAccount(
  tx: Transaction,
  organizationId: string,
  { emails, key, now }: { emails: readonly string[]; key: string; now: Date },
): Promise<() => void> {
  const refs = [...new Map(emails.map((email) => formerAccountRef(key, email)).map((ref) => [ref.path, ref])).values()];
  const [organization, mails, listings, webhooks, ...kept] = await readIn(
    tx,
    organizationRef(organizationId),
    mailWindowRef(organizationId),
    listingWindowRef(organizationId),
    webhookStateRef(organizationId),
    ...refs,
  );
  const reports = await readCarriedReports(tx, organizationId);
  const { organizationIds = [], takedowns = [] } = organization?.former ?? {};
  const record: StoredFormerAccount = {
    organizationIds: [...organizationIds, organizationId],
    takedowns,
    mailWindow: mails ?? null,
    listingWindow: listings ?? null,
    mailReports: reports ?? null,
    webhooksStoppedAt: webhooks?.stoppedAt ?? null,
    takenOverBy: null,
    expiresAt: new Date(now.getTime() + KEPT_MS),
  };
  return () => refs.forEach((ref, i) => tx.set(ref, joined(kept[i], record, now)));
}

/**
 * What stays of an account, with what stayed of another account of its mailbox. An account that took that over has the
 * reports and the stop of its webhooks as an operator left them.
 */
function joined(kept: StoredFormerAccount | undefined, own: StoredFormerAccount, now: Date): StoredFormerAccount {
  if (!kept || kept.expiresAt <= now) return own;
  const hasTakenOver = kept.organizationIds.some((id) => own.organizationIds.includes(id));
  const windowEnd = new Date(now.getTime() + DAY_MS);
  const sends = distinct([...(kept.mailWindow?.sends ?? []), ...(own.mailWindow?.sends ?? [])]);
  const times = distinct([...(kept.listingWindow?.times ?? []), ...(own.listingWindow?.times ?? [])]);
  return {
    organizationIds: distinct([...kept.organizationIds, ...own.organizationIds]),
    takedowns: distinct([...kept.takedowns, ...own.takedowns]).slice(-MAX_TAKEDOWNS),
    mailWindow: { sends: stillCounted(sends, now).slice(-MAX_SENDS), expiresAt: windowEnd },
    listingWindow: { times: withinWindow(times, now, DAY_SECONDS), expiresAt: windowEnd },
    mailReports: hasTakenOver ? own.mailReports : joinedReports(kept.mailReports, own.mailReports),
    webhooksStoppedAt: hasTakenOver ? own.webhooksStoppedAt : (kept.webhooksStoppedAt ?? own.webhooksStoppedAt),
    takenOverBy: kept.takenOverBy,
    expiresAt: own.expiresAt,
  };
}

const distinct = <T>(all: readonly T[]): T[] => [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];

/**
 * Gives a new organization what stayed of the former account of its mailbox, which the transaction has read. Returns
 * what the record of the organization names; null without a former account.
 */
export function takeOver(
  tx: Transaction,
  found: StoredFormerAccount | undefined,
  email: string,
  { organizationId, key, now }: { organizationId: string; key: string; now: Date },
): FormerAccount | null {
  if (!found || found.expiresAt <= now) return null;
  if (found.mailWindow) tx.set(mailWindowRef(organizationId), found.mailWindow);
  if (found.listingWindow) tx.set(listingWindowRef(organizationId), found.listingWindow);
  if (found.mailReports) storeCarriedReports(tx, organizationId, found.mailReports);
  if (found.webhooksStoppedAt) {
    writeState(tx, { ...newState(organizationId), stoppedAt: found.webhooksStoppedAt }, now);
  }
  tx.update(formerAccountRef(key, email), { takenOverBy: organizationId });
  return { organizationIds: found.organizationIds, takedowns: found.takedowns };
}

/**
 * Reads where the take-downs of a deleted account are kept. Returns what adds some there, and to the new account of the
 * mailbox.
 */
export async function keepingTakedown(
  tx: Transaction,
  key: string,
  email: string,
): Promise<(takedowns: readonly Takedown[]) => void> {
  const ref = formerAccountRef(key, email);
  const [found] = await readIn(tx, ref);
  const next = found?.takenOverBy ? organizationRef(found.takenOverBy) : undefined;
  const [organization] = next ? await readIn(tx, next) : [];
  return (added) => {
    if (added.length === 0) return;
    const withAdded = ({ takedowns }: { takedowns: Takedown[] }) => [...takedowns, ...added].slice(-MAX_TAKEDOWNS);
    if (found) tx.update(ref, { takedowns: withAdded(found) });
    if (next && organization?.former)
      tx.update(next, { former: { ...organization.former, takedowns: withAdded(organization.former) } });
  };
}
