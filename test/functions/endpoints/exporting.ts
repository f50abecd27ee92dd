import type { getAccountExport } from '../../../functions/src/endpoints/account/getAccountExport';
import type { z } from 'zod';
import { startWorldBehindGateway } from '../../support/gateways';
import { readOnce } from '../../support/views';
import { page, succeed, world, type Account, type Deck, type DeckFile } from '../../support/world';

/** An owner who asks for exports of the account in a session, and an account with all that an export has. */

type Export = z.output<(typeof getAccountExport)['definition']['answer']>;

export const DAY = 86_400;
export let owner: Account;
let session: string;

/** Starts the world before the tests of this file. The bucket is behind a gateway. */
export function startExporting(): void {
  startWorldBehindGateway(() => Promise.resolve());
  beforeEach(async () => {
    owner = await world.anOwner();
    session = await world.aDashboardSession(owner);
  });
}

/** A new session, when the time of the former one is over. */
export async function renewSession(): Promise<void> {
  session = await world.aDashboardSession(owner);
}

export async function aCode(purpose = 'export'): Promise<string> {
  await succeed(world.call('requestAccountCode', { purpose, newEmail: 'x@example.org' }, { key: session }));
  return world.mailedCode(owner.email);
}

export const ask = async (code: string, headers: Record<string, string> = {}) =>
  world.call<{ exportId: string; status: string }>('exportAccount', { code }, { key: session, headers });
export const get = (exportId = 'latest', key = session) =>
  world.call<Export>('getAccountExport', undefined, { key, path: `/${exportId}` });

export const READER = 'grace@example.org';
const PASSCODE = 'analytical-7';

export const style = (text: string, path = 'a/style.css'): DeckFile => ({
  path,
  bytes: Buffer.from(text),
  contentType: 'text/css',
});

/** An account with all that an export has. Its deck has three versions, of which the last brings the first back. */
export async function anAccount(): Promise<{ owner: Account; deck: Deck; secrets: string[] }> {
  const owner = await world.aPublisher();
  const { key } = owner;
  const deck = await world.aPushedDeck(owner, [page('One'), style('a {}')], 'Quarterly Ergebnisse');
  const { presentationId } = deck;
  const commit = async (files: DeckFile[]) => {
    await world.uploadAll(owner, { presentationId }, files);
    await succeed(world.commit(owner, { presentationId }, files));
  };
  await commit([page('Two'), style('a {}'), style('b {}', 'b.css')]);
  await commit([page('One'), style('a {}', 'moved.css')]);
  const call = <T = object>(name: string, body: object) => succeed(world.call<T>(name, body, { key }));
  const investors = { tokenName: 'Investors', passcode: PASSCODE, allowedEmails: [READER], short: true };
  type Link = { shareUrl: string; shortUrl: string };
  const link = await call<Link>('addPresentationToken', { presentationId, ...investors });
  const mail = { presentationId, emails: [READER] };
  const { sent } = await call<{ sent: [{ shareUrl: string }] }>('sharePresentationViaEmail', mail);
  const [{ shareUrl }] = sent;
  await readOnce({ shareUrl });
  await call('inviteCollaborator', { presentationId, email: 'dev@example.org' });
  await world.aListing(owner, {}, deck);
  const webhook = { url: 'https://hooks.example.com/s3cret', events: ['*'] };
  const { secret } = await call<{ secret: string }>('createWebhook', webhook);
  const session = await world.aDashboardSession(owner);
  const last = (url: string) => url.split('/').at(-1)!;
  const urls = [deck.shareUrl, link.shareUrl, link.shortUrl, shareUrl].map(last);
  return { owner, deck, secrets: [...urls, key, secret, session, PASSCODE, 's3cret'] };
}
