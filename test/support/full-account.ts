import { randomUUID } from 'node:crypto';
import { labelOfToken } from '../../functions/src/values/deck-origins';
import { askFor, sendAsk, storeAsk } from './ask';
import { navigation, requestLocally } from './deck-origin';
import { askForExport } from './exports';
import { runJob } from './jobs';
import { follow, move, startLive } from './live';
import { sendSlides, showSlides, slide } from './pictures';
import { requestSignupCode } from './sign-in';
import { readOnce } from './views';
import { makeWebhook } from './webhooks';
import { page, succeed, world, type Account, type Deck } from './world';

/** The names of the account, and the text of a file of which nobody made a remix. */
export const NAMES = ['Zerubabel', 'Quuxdottir'] as const;
export const ORGANIZATION = 'Quuxdottir Clockworks';
export const FILE_TEXT = `only in this account ${randomUUID()}`;

export interface FullAccount extends Account {
  session: string;
  deck: Deck;
  /** The listing of `deck`, and the address to which its deck was mailed. */
  slug: string;
  recipient: string;
}

const call = <T = object>({ key }: { key: string }, name: string, body: object, headers: Record<string, string> = {}) =>
  succeed(world.call<T>(name, body, { key, headers }));

/** Opens a gated link with a wrong passcode, then with an address and its code. Leaves one more code. */
async function openGated({ presentationId, token }: Deck, email: string, passcode?: string): Promise<void> {
  const open = (body: object) =>
    world.call<{ openUrl: string }>(
      'openShareLink',
      { presentationId, token, ...body },
      { headers: { 'x-forwarded-for': randomUUID() } },
    );
  if (passcode) await open({ passcode: 'not-this-one' });
  const { error } = await open({ passcode, email });
  const { requestToken } = error.details as { requestToken: string };
  const { openUrl } = await succeed(open({ passcode, email, requestToken, code: await world.mailedCode(email) }));
  expect((await requestLocally(openUrl, { headers: navigation })).status).toBe(303);
  await open({ passcode, email });
}

/** The link that mails a deck to an address, as its reader has looked at it. */
async function mailTo(by: Account, { presentationId }: Deck, email: string): Promise<void> {
  type Sent = { sent: { shareUrl: string; tokenId: string }[] };
  const { sent } = await call<Sent>(by, 'sharePresentationViaEmail', { presentationId, emails: [email] });
  await call(by, 'updateShareToken', { presentationId, tokenId: sent[0]!.tokenId, notify: 'first' });
  await readOnce(sent[0]!);
}

/** What the account has itself. */
async function fillOwn(
  owner: Account,
  session: string,
  other: Account,
): Promise<Pick<FullAccount, 'deck' | 'recipient'>> {
  const [firstName, lastName] = NAMES;
  const browser = { key: session };
  await call(browser, 'updateProfile', { firstName, lastName });
  const logo = { data: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>').toString('base64') };
  const brand = { name: ORGANIZATION, logo: { ...logo, contentType: 'image/svg+xml' } };
  await call(browser, 'updateOrganization', brand);
  const deck = await world.aPushedDeck(owner, [page('Public')], 'A public deck');
  const { presentationId } = deck;
  await showSlides(owner, presentationId, 1, [{ key: 'agenda', bytes: slide(10) }]);
  const hidden = await world.aPushedDeck(owner, [page(FILE_TEXT)], 'A hidden deck');
  await sendSlides(owner, hidden.presentationId, 1, [{ key: 'agenda', bytes: slide(20) }]);
  await call(owner, 'inviteCollaborator', { presentationId, email: other.email });
  await call(owner, 'inviteCollaborator', { presentationId, email: `invited-${randomUUID()}@example.org` });
  const recipient = `recipient-${randomUUID()}@example.org`;
  await mailTo(owner, deck, recipient);
  const [mail] = await world.mails(recipient);
  const mailPage = `${world.cloud.hostingUrl}/mail/${/\/mail\/([\w-]+)/.exec(mail!.text)![1]!}`;
  for (const query of ['?choice=report&reason=spam', ''])
    expect((await fetch(mailPage + query, { method: 'POST' })).status).toBe(200);
  await world.cloud.mailEvents.runDue();
  const rules = { passcode: 'analytical-7', allowedEmails: [recipient], notify: 'first' };
  const { tokenId } = hidden;
  await call(owner, 'updateShareToken', { presentationId: hidden.presentationId, tokenId, ...rules });
  await openGated(hidden, recipient, rules.passcode);
  await askFor(deck, recipient, 'Please.');
  await makeWebhook(world, owner);
  await call(browser, 'createApiKey', { name: 'x', scopes: ['presentations:read'] }, { 'idempotency-key': 'k' });
  const { sessionId } = await world.aSession(owner);
  await world.upload(owner, { sessionId }, page(FILE_TEXT));
  const asset = { sha256: 'a'.repeat(64), size: 40_000_000, contentType: 'video/mp4' };
  await call(owner, 'createAssetUploads', { presentationId, assets: [asset] });
  await call(owner, 'deletePresentation', { presentationId: (await world.aDeck(owner)).presentationId });
  return { deck, recipient };
}

/** What others have of the account. */
async function fillOthers(owner: Account, { deck }: { deck: Deck }, other: Account): Promise<string> {
  const theirs = await world.aPushedDeck(other, [page('Theirs')], 'Their deck');
  const { presentationId } = theirs;
  await call(other, 'inviteCollaborator', { presentationId, email: owner.email });
  await world.uploadAll(owner, { presentationId }, [page('By the dev')]);
  await succeed(world.commit(owner, { presentationId }, [page('By the dev')]));
  const { presenter } = await startLive(owner, theirs, theirs.tokenId);
  await move(presenter, 1, { index: 2 });
  const stream = await follow(presenter);
  await stream.next('state').catch(() => undefined);
  stream.leave();
  await mailTo(other, theirs, owner.email);
  const gated = await world.aPushedDeck(other, [page('Gated')], 'Their gated deck');
  const rules = { presentationId: gated.presentationId, tokenId: gated.tokenId, allowedEmails: [owner.email] };
  await call(other, 'updateShareToken', rules);
  await openGated(gated, owner.email);
  const label = labelOfToken(gated.tokenId);
  await storeAsk(label, owner.email, 'Let me in.');
  await sendAsk(world, { label, email: owner.email });
  const { slug } = await world.aListing(owner, { title: 'Listed by its owner' }, deck);
  const { slug: theirSlug } = await world.aListing(other, {}, theirs);
  for (const [by, of] of [
    [owner, theirSlug],
    [other, slug],
  ] as const) {
    await call(by, 'starMarketplaceListing', { slug: of });
    await call(by, 'remixMarketplaceListing', { slug: of });
  }
  await call(other, 'reportMarketplaceListing', { slug, reason: 'spam', details: 'Looks copied.' });
  await succeed(world.call('recordMarketplaceView', { slug }));
  return slug;
}

/** An account with a record in every collection, and `other`, who has records of it. */
export async function aFullAccount(other: Account): Promise<FullAccount> {
  const owner = await world.aPublisher('pro');
  const session = await world.aDashboardSession(owner);
  const own = await fillOwn(owner, session, other);
  const slug = await fillOthers(owner, own, other);
  await startLive(owner, own.deck);
  await askForExport(owner);
  for (const job of [
    ...(['exportAccounts', 'foldInsights', 'foldMarketplaceCounters', 'refreshMarketplace', 'sweepWebhooks'] as const),
    ...(['notifyOwners', 'sendViewNotices'] as const),
  ])
    await runJob(job);
  expect((await fetch(`${world.cloud.hostingUrl}/sitemap.xml`)).status).toBe(200);
  // What the jobs take away: a notice, a removal of a reader, a task for pictures, a deletion.
  const again = await world.aDeck(owner);
  await mailTo(owner, again, `again-${randomUUID()}@example.org`);
  await call({ key: session }, 'forgetReader', { email: own.recipient });
  await requestSignupCode(`stranger-${randomUUID()}@example.org`);
  return { ...owner, session, ...own, slug };
}
