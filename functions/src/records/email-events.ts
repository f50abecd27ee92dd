import { z } from 'zod';
import { mailStates } from '../policy/mail-deliveries';
import { emailSendView } from '../rows/decks';
import { collection, date, paths, type Ref } from './collections';
import type { Transaction } from './database';
import { addEvent } from './events';
import type { EmailSend } from './email-sends';
import type { Presentation } from './presentations';

const entry = z.object({ eventId: z.string(), state: z.enum(mailStates), at: date, reason: z.string().nullable() });

/**
 * What became of one mail after the provider had accepted it, beside its audit record. Entries are added, and never
 * changed.
 */
const emailEvents = z.object({ sendId: z.string(), entries: z.array(entry) });
export type EmailEvents = z.output<typeof emailEvents>;

/** The provider sends a few events about a mail. More are not kept. */
const MAX_ENTRIES = 20;

export const emailEventsRef = (presentationId: string, sendId: string): Ref<EmailEvents> =>
  collection(paths.emailEvents(presentationId), emailEvents).doc(sendId);

/** The newest state of a mail. Null while the provider has told nothing. */
export function newestOf(events: EmailEvents | undefined): EmailEvents['entries'][number] | null {
  return (events?.entries ?? []).reduce<EmailEvents['entries'][number] | null>(
    (newest, each) => (newest === null || each.at >= newest.at ? each : newest),
    null,
  );
}

const types = {
  delivered: 'email.delivered',
  bounced: 'email.bounced',
  complained: 'email.complained',
  failed: 'email.failed',
} as const;

/** Adds an entry, and tells the event of it. A known `eventId` changes nothing. */
export function appendEmailEvent(
  tx: Transaction,
  { organizationId, presentationId, title }: Presentation,
  send: EmailSend,
  before: EmailEvents | undefined,
  { eventId, state, at, reason }: EmailEvents['entries'][number],
): void {
  const entries = before?.entries ?? [];
  // The caller's event has the address of the recipient, which stays out of this record.
  const added = { eventId, state, at, reason };
  if (entries.length === MAX_ENTRIES || entries.some((each) => each.eventId === eventId)) return;
  const { sendId } = send;
  tx.set(emailEventsRef(presentationId, sendId), { sendId, entries: [...entries, added] });
  if (state === 'delayed') return;
  const data = { title, send: emailSendView(send, added) };
  addEvent(tx, types[state], { organizationId, presentationId, by: { kind: 'system' } }, data);
}
