import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Answer as SharedAnswer } from '../../functions/src/endpoints/email/sharePresentationViaEmail';
import type { Plan } from '../../functions/src/policy/plans';
import { openShareToken } from '../../functions/src/values/share-tokens';
import { startMailGateway, type MailGateway } from './mail-gateway';
import { page, startWorld, succeed, world, type Account, type Answered, type Deck } from './world';

export type Shared = z.output<typeof SharedAnswer>;
export type Sends = { sends: Record<string, string | null>[]; nextCursor: string | null };

/** The mails of the world pass a gateway. Each test has an owner with a deck. */
export let gateway: MailGateway;
export let owner: Account;
export let deck: Deck;

/** Starts the world before the tests of this file. */
export function startMailing(plan: Plan, title: string): void {
  startWorld(async () => {
    gateway = await startMailGateway(world.cloud.mailUrl);
    // The functions read this variable at each send.
    process.env['RESEND_BASE_URL'] = gateway.url;
  });
  beforeEach(async () => {
    // A hanging call must not time out before the test closes its connection.
    process.env['MAIL_PATIENCE_SECONDS'] = '3600';
    // The pauses are as many as in the cloud and last one millisecond.
    process.env['MAIL_RETRY_PAUSE_MS'] = '1';
    process.env['HELD_LINK_PAUSE_MS'] = '1';
    gateway.reset();
    owner = await world.anOwner(plan);
    deck = await world.aDeck(owner, [page('one')], title);
  });
  afterAll(() => gateway.close());
}

const ofDeck = () => ({ presentationId: deck.presentationId });
export const someone = () => `friend-${randomUUID()}@example.org`;
export const many = (count: number) => Array.from({ length: count }, someone);
export const aRetryKey = () => ({ 'idempotency-key': randomUUID() });

/** The mails of the organization in the last day, as many addresses in one send. */
export const storeMails = (count: number) =>
  world.database.doc(`mailWindows/${owner.organizationId}`).set({
    sends: [{ sendId: randomUUID(), at: new Date(), recipients: many(count) }],
    expiresAt: new Date(),
  });

/** The states of a deck in which its links open nothing, with the fields that make them. */
export const closed: [state: string, fields: object][] = [
  ['was taken down', { takedown: { at: new Date(), reason: 'x' } }],
  ['has expired', { expiresAt: new Date(1) }],
];

/** The owner of another organization, with a deck. */
export const aSender = async () => {
  const account = await world.anOwner('pro');
  return { ...account, ...(await world.aDeck(account)) };
};

/** Calls an endpoint about the deck of the test. */
export const call = <T>(name: string, body: object = {}, key = owner.key) =>
  world.call<T>(name, { ...ofDeck(), ...body }, { key });
export const share = (emails: unknown, more: object = {}, headers = {}, key = owner.key): Promise<Answered<Shared>> =>
  world.call('sharePresentationViaEmail', { ...ofDeck(), emails, ...more }, { key, headers });
export const list = (query: Record<string, string> = {}) =>
  world.call<Sends>('listEmailSends', undefined, { key: owner.key, query: { ...ofDeck(), ...query } });
/** The sends of the deck, newest first. */
export const sends = async () => (await succeed(list())).sends;
export const unshare = (body: object) => call<{ revokedTokenIds: string[] }>('unsharePresentation', body);
type Link = { tokenId: string; name: string; revoked: boolean; accessCount: number };
type Info = { primaryShareUrl: string; tokens: Link[] };
export const info = () =>
  succeed(world.call<Info>('getSharedPresentationInfo', undefined, { key: owner.key, query: ofDeck() }));

/** The details of the refusal of a call that a rate limits. */
export async function refused(answer: Promise<Answered<unknown>>): Promise<Record<string, unknown>> {
  const { status, error, headers } = await answer;
  expect([status, error.code]).toEqual([429, 'rate-limited']);
  expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
  return error.details!;
}

export const tokenIn = (url: string) => new URL(url).searchParams.get('token')!;
/** The status of the deck behind a link. */
export const look = (token: string) => world.visit(world.viewUrl({ ...ofDeck(), token }));
/** The documents below the deck. */
export const stored = async (path = 'shareTokens') => {
  const { docs } = await world.database.collection(`presentations/${deck.presentationId}/${path}`).get();
  return docs.map((each) => each.data());
};
/** The records of the links that were made for addresses. */
const madeRecords = async () => (await stored()).filter(({ name }) => name !== 'default');
/** The tokens of the links that were made for addresses. */
export const madeLinks = async () =>
  (await madeRecords()).map(({ sealed }) =>
    openShareToken([process.env['SERVICE_SECRET']!], deck.presentationId, sealed),
  );

export const statuses = (tokens: string[]) => Promise.all(tokens.map(look));
/** Sends a mail and returns when the call hangs at the provider, which may have got the mail. */
export async function aHangingShare(reached: boolean, ...args: Parameters<typeof share>) {
  gateway.plan({ do: 'hang', reached });
  const sending = share(...args);
  await gateway.hanging();
  const [record] = await madeRecords();
  // A promise in an object is not awaited with the object.
  return { sending, tokenId: record?.['tokenId'] as string };
}
