import { z } from 'zod';
import { fail } from '../errors';
import { waitSeconds, withinWindow } from '../policy/request-windows';
import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';
import { DAY_MS, DAY_SECONDS } from '../values/units';
import { collection, collectionGroup, date, paths } from './collections';
import { documentsOf, readIn, type Transaction } from './database';
import { recipientKey } from './recipient-key';
import { exceededWindow, requestWindowRef, withoutRequest, withRequest, type RequestWindow } from './request-windows';
import { transact } from './transact';

/** The wrong passcodes of a link in the last day, at most `KEPT` of them. The TTL policy deletes it. */
const linkGuard = z.object({
  wrongAt: z.array(date),
  /** Whether a job is to mail the owner about them. */
  isDue: z.boolean(),
  /** When the owner was mailed last. */
  warnedAt: date.nullable(),
  expiresAt: date,
});
const guardRef = ({ presentationId, tokenId }: LinkId) =>
  collection(paths.linkGuards(presentationId), linkGuard).doc(tokenId);

/** A client that opened the link in the last 24 hours. The TTL policy deletes it. */
const linkOpener = z.object({ expiresAt: date });
const openerRef = (key: string, { presentationId, tokenId }: LinkId, clientAddress: string) =>
  collection(paths.linkOpeners(presentationId), linkOpener).doc(
    mac(key, 'link-opener', tokenId, networkOf(clientAddress)),
  );

interface LinkId {
  presentationId: string;
  tokenId: string;
}

/** The wrong passcodes of one client at one link in an hour. */
const PER_CLIENT = 10;
/** For so long an attempt that was counted may still prove right, and be taken back. */
const IN_FLIGHT_SECONDS = 10;
/** From so many wrong passcodes of a link in an hour on, clients that have not opened it wait between two attempts. */
const PER_LINK = 100;
const MAX_WAIT_SECONDS = 60;
/** Above so many wrong passcodes in a day the owner is mailed. */
export const MANY_WRONG = 1000;
/** The most wrong passcodes of a link that are remembered. */
const KEPT = MANY_WRONG + 1;

/**
 * Counts an attempt at a passcode as a wrong one before it is hashed, so that attempts at the same time are limited,
 * too. Returns what takes it back when the passcode was right. Throws rate-limited for a client with too many wrong
 * ones, and while a link is guessed at for a client that has not opened it.
 */
export async function countAttempt(link: LinkId, clientAddress: string, now: Date): Promise<() => Promise<void>> {
  const key = await recipientKey();
  const client = requestWindowRef(key, 'opener', `${link.tokenId} ${networkOf(clientAddress)}`);
  const opener = openerRef(key, link, clientAddress);
  const guard = guardRef(link);
  await transact(async (tx) => {
    const [tried, known, guarded] = await readIn(tx, client, opener, guard);
    const exceeded = exceededAttempts(tried, now);
    if (exceeded) return fail('rate-limited', exceeded);
    const ofDay = withinWindow(guarded?.wrongAt ?? [], now, DAY_SECONDS);
    if (!known || known.expiresAt <= now) assertPatience(ofDay, now);
    tx.set(client, withRequest(tried, now));
    const wrongAt = [...ofDay, now].slice(-KEPT);
    const { warnedAt = null } = guarded ?? {};
    tx.set(guard, { wrongAt, isDue: isGuessed(wrongAt, warnedAt, now), warnedAt, expiresAt: inADay(now) });
  });
  return () =>
    transact(async (tx) => {
      const [tried, guarded] = await readIn(tx, client, guard);
      if (tried) tx.set(client, withoutRequest(tried, now));
      const place = guarded?.wrongAt.findIndex((at) => at.getTime() === now.getTime()) ?? -1;
      if (!guarded || place < 0) return;
      const wrongAt = guarded.wrongAt.toSpliced(place, 1);
      tx.update(guard, { wrongAt, isDue: isGuessed(wrongAt, guarded.warnedAt, now) });
    });
}

/**
 * The details of the refusal of a client with too many attempts. People who share an address may have made the last
 * ones with the right passcode: the refusal asks to wait until that is known.
 */
function exceededAttempts(tried: RequestWindow | undefined, now: Date) {
  const exceeded = exceededWindow(tried, PER_CLIENT, now);
  const inFlight = exceededWindow(tried, 1, now, IN_FLIGHT_SECONDS);
  if (!exceeded || !inFlight) return exceeded;
  return { ...exceeded, retryInSeconds: Math.min(exceeded.retryInSeconds, inFlight.retryInSeconds) };
}

const inADay = (now: Date) => new Date(now.getTime() + DAY_MS);

/** Whether the owner must learn of the wrong passcodes of the last day: once a day. */
const isGuessed = (wrongAt: readonly Date[], warnedAt: Date | null, now: Date) =>
  withinWindow(wrongAt, now, DAY_SECONDS).length > MANY_WRONG && (!warnedAt || inADay(warnedAt) <= now);

/** Every link about which a job is to mail the owner. `id` names the token, `warnedAt` tells its mails apart. */
export async function* guessedLinks(): AsyncGenerator<LinkId & { id: string; warnedAt: Date | null }> {
  const due = collectionGroup('linkGuards', linkGuard).where('isDue', '==', true);
  for await (const document of documentsOf(due)) {
    const { ref, id } = document;
    yield { id, presentationId: ref.parent.parent!.id, tokenId: id, warnedAt: document.data().warnedAt };
  }
}

/** Notes that the owner was mailed, or need not be. */
export function noteWarning(link: LinkId, now: Date): Promise<void> {
  return transact(async (tx) => {
    const [guarded] = await readIn(tx, guardRef(link));
    if (guarded?.isDue) tx.update(guardRef(link), { isDue: false, warnedAt: now });
  });
}

/** The wait between two attempts grows from 1 to 60 seconds with the wrong passcodes of the last hour. */
function assertPatience(wrongAt: readonly Date[], now: Date): void {
  const ofHour = withinWindow(wrongAt, now);
  if (ofHour.length < PER_LINK) return;
  const wait = Math.min(MAX_WAIT_SECONDS, ofHour.length - PER_LINK + 1);
  const left = ofHour.at(-1)!.getTime() + wait * 1000 - now.getTime();
  if (left <= 0) return;
  const retryInSeconds = waitSeconds(left, MAX_WAIT_SECONDS);
  fail('rate-limited', { limit: PER_LINK, windowSeconds: 3600, retryInSeconds });
}

/** Notes that the client has opened the link: a flood of wrong passcodes does not close it for this client. */
export function noteOpener(tx: Transaction, key: string, link: LinkId, clientAddress: string, now: Date): void {
  tx.set(openerRef(key, link, clientAddress), { expiresAt: inADay(now) });
}
