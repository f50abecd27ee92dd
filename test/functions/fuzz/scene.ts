import { randomUUID } from 'node:crypto';
import { serviceSecrets } from '../../../functions/src/config';
import { example } from '../../../functions/src/contract/example';
import { newLinkGrant, writeGrant } from '../../../functions/src/values/deck-grants';
import { blob, manifestRow, page, sha256, type Account, type World } from '../../support/world';
import { CODE, sceneOf } from '../../support/example-scene';
import { askForExport } from '../../support/exports';
import { startLive } from '../../support/live';
import { showSlides, slide } from '../../support/pictures';
import type { Known } from './values';

const files = [page(), page('two', 'a/two.html'), { ...blob(5000), path: 'film.mp4', contentType: 'video/mp4' }];
const hashes = files.map(({ bytes }) => sha256(bytes));

/** The people of the requests of one endpoint, which may end their accounts. */
type People = { owner: Account; dev: Account; known: Known };

async function makePeople(world: World): Promise<People> {
  const [owner, dev, other] = [await world.aPublisher('pro'), await world.anOwner(), await world.anOwner()];
  const [session, ofOther] = [await world.aDashboardSession(owner), await world.aDashboardSession(other)];
  const wrong = [dev.key, other.key, await world.anAdmin(), session].map((key) => `Bearer ${key}`);
  const broken = ['', 'Bearer', 'Bearer x', `bearer  ${owner.key}`, 'Basic YTpi', `Bearer ${'x'.repeat(3000)}`];
  const known = { session: [session, ofOther], wrongKey: [...wrong, ...broken], keyId: [other.keyId, randomUUID()] };
  return { owner, dev, known };
}

/** Values for the fields of the requests of one endpoint, by their names. No other endpoint uses the same account. */
export async function makeScene(world: World, endpoint: string): Promise<Known & { shareUrl: string[] }> {
  const people = await makePeople(world);
  const { owner, dev } = people;
  const deck = await world.aDeck(owner, files);
  const { presentationId } = deck;
  await world.addMember(deck, dev);
  const listed = await world.aDeck(owner, files);
  const { slug } = await world.aListing(owner, {}, listed);
  if (/^(get|list)(Slide|Listing)Pictures?$/.test(endpoint)) {
    for (const each of [deck, listed])
      await showSlides(owner, each.presentationId, 1, [{ key: 'agenda', bytes: slide(10) }]);
  }
  const { sessionId } = await world.aSession(owner);
  const isLive = endpoint.endsWith('LiveSession');
  const seen = writeGrant(serviceSecrets.current(), 'seen', newLinkGrant(deck), new Date());
  const frame = writeGrant(serviceSecrets.current(), 'frame', newLinkGrant(deck), new Date());
  return {
    ...people.known,
    shareUrl: [`${world.cloud.hostingUrl}/share/${presentationId}?token=${deck.token}`],
    presentationId: [presentationId],
    tokenId: [deck.tokenId],
    slug: [slug],
    url: [`${world.cloud.marketplaceUrl}/marketplace/${slug}`],
    part: [1],
    sessionId: [sessionId],
    sha256: hashes,
    sha256s: [hashes, hashes.slice(1)],
    hashes: [hashes],
    assetPath: [...files.map(({ path }) => path), '', 'a', 'a/', 'missing.html'],
    version: [1, 2],
    from: [1],
    to: [1, 2],
    ...(/Views|Insights/.test(endpoint) && { from: ['2026-01-01'], to: ['2026-03-31'] }),
    format: ['csv', 'ndjson'],
    tracking: ['full', 'count'],
    slidePictures: [true],
    key: ['agenda'],
    n: [1],
    exportId: ['latest'],
    ticket: [isLive ? (await startLive(owner, deck)).presenter : seen],
    loadId: ['mB3xQ0aVtY7pLd2K'],
    limit: [1, 50],
    entryPath: ['index.html'],
    files: [files.map(manifestRow)],
    token: [deck.token, frame],
    ...(await ofEndpoint(world, endpoint, people)),
  };
}

/** The endpoints that need more than a deck: the scene of their example has it. */
const special =
  /^(cliCompleteSignup|completeDashboardSignup|cliCompleteLogin|createDashboardSession|getOrganizationLogo|codePage|mailPage|getInvitation|shortLink)$/;
/** Where the example of a page of mails has the key of the page. */
const GRANT = 'x'.repeat(64);

/** The key, and the values that only one endpoint accepts. */
async function ofEndpoint(world: World, endpoint: string, { owner, dev }: People): Promise<Known> {
  if (special.test(endpoint)) {
    const { key, owner: account, email, real } = await sceneOf(world, endpoint, /Page$/.test(endpoint) ? '' : CODE);
    const addressed = /Signup/.test(endpoint) ? email : account.email;
    const grant = real(GRANT);
    const code = real(endpoint === 'shortLink' ? example.shortCode : CODE);
    return { apiKey: [key], email: [addressed], code: [code], token: [grant], invitation: [grant] };
  }
  if (/^(answerAccessRequest|compareRemix|updateRemix)$/.test(endpoint)) {
    const { key, session, real } = await sceneOf(world, endpoint);
    const ids = { presentationId: [real(example.deckId)], requestId: [real(example.accessRequestId)] };
    const taken = { expectedBaseVersion: [2], sourceVersion: [2], paths: [['notes.css']], merged: [[]] };
    return { apiKey: [key], session: [session], ...ids, ...taken };
  }
  if (/^(changeEmail|exportAccount|deleteAccount)$/.test(endpoint)) {
    const { session, owner: account, real } = await sceneOf(world, endpoint, CODE);
    const values = { newEmail: [real(example.newEmail)], newCode: [real(example.newCode)], code: [real(CODE)] };
    return { session: [session], email: [account.email], ...values };
  }
  if (/Webhook|TestEvent/.test(endpoint)) {
    const { key, real } = await sceneOf(world, 'redeliverWebhook');
    return { apiKey: [key], webhookId: [real(example.webhookId)], deliveryId: [real(example.deliveryId)] };
  }
  if (endpoint === 'getAccountExport') await askForExport(owner);
  const apiKey = [endpoint === 'leavePresentation' ? dev.key : owner.key];
  const email = `${endpoint}-${randomUUID()}@example.org`;
  return { apiKey, email: endpoint === 'uninviteCollaborator' ? [dev.email] : [email, dev.email, owner.email] };
}
