import { authorIdOf } from '../../functions/src/policy/listings';
import { runJob } from '../support/jobs';
import { aStoredListing, storeListings } from '../support/listings';
import { askFor } from '../support/ask';
import { drawing, showSlides } from '../support/pictures';
import { aReader, slide } from '../support/views';
import { page, succeed, type Account, type Deck, type World } from '../support/world';
import { aSession, aVersion, type Session } from './dashboard';

/**
 * Begins every hostile text: an override of the direction, and Hebrew. `proof-probe.cjs` knows it.
 */
const MARK = '\u202eשלום\u202c';
const MARKUP = `"'><img src=x onerror="hit=1"></title><script>hit=2</script>`;
const SIGNS = `👩‍👩‍👧‍👦🏳️‍🌈Z${'\u0351'.repeat(9)}`;

/** Every hostile text that the world holds. */
export const hostileTexts: string[] = [];

/** A text of `length` characters without a space at its end: right to left, with markup, emoji and combining marks. */
function hostile(length: number, about: string): string {
  const text = `${MARK} ${about}${MARKUP}${SIGNS}${'W'.repeat(255)}`.slice(0, length);
  hostileTexts.push(text);
  return text;
}

/** Fonts and sizes do not matter: each text of people has its largest length here. */
export const texts = {
  firstName: hostile(60, 'first'),
  lastName: hostile(60, 'last'),
  organization: hostile(100, 'organization'),
  description: hostile(400, 'description'),
  title: hostile(255, 'title'),
  link: hostile(255, 'link'),
  revoked: hostile(255, 'revoked'),
  message: hostile(255, 'message'),
  key: hostile(255, 'key'),
  listing: hostile(255, 'listing'),
  ancestor: hostile(255, 'ancestor'),
  category: hostile(60, 'category'),
  file: `${MARK} <img src=x onerror="hit=1"> ${'W'.repeat(150)}.html`,
  reason: hostile(255, 'reason'),
  ask: hostile(200, 'ask'),
  webhook: hostile(255, 'webhook'),
  slide: hostile(200, 'slide'),
};
hostileTexts.push(
  // As the request of a delivery has it.
  JSON.stringify(texts.webhook).slice(1, -1),
  texts.file,
  `new/${texts.file}`,
  `./${texts.file.replace(/\.html$/, '')}`,
  `${texts.firstName} ${texts.lastName}`,
);

/** An account, and its session. */
export interface Person extends Account {
  session: Session;
}
export type ProofWorld = Awaited<ReturnType<typeof hostileWorld>>;

async function aPerson(world: World, displayName: string, organization: string): Promise<Person> {
  const account = await world.aPublisher();
  return { ...account, session: await aSession(world, account, displayName, organization) };
}

/** A world in which every text of people is hostile, with the states that pages show. */
export async function hostileWorld(world: World) {
  const [newcomer, hostile, guest] = await Promise.all([
    // Somebody who has just signed up, and somebody who works on the deck of the hostile person.
    aPerson(world, 'Ada', "Ada's workspace"),
    aPerson(world, `${texts.firstName} ${texts.lastName}`, texts.organization),
    aPerson(world, 'Grace', "Grace's workspace"),
  ]);
  const { firstName, lastName, organization, description } = texts;
  const call: Call = <T>(name: string, input: object, key = hostile.key) =>
    succeed(world.call<T>(name, input, { key }));
  const token = await world.aDashboardSession(hostile);
  await call('updateProfile', { firstName, lastName }, token);
  await call(
    'updateOrganization',
    { name: organization, description, tone: description, brandPrimary: '#8a1c3b' },
    token,
  );
  const key = { name: texts.key, description, scopes: ['presentations:read'] };
  await call('createApiKey', key, token);
  const { apiKey } = await call<{ apiKey: { keyId: string } }>('createApiKey', { ...key, expiresInDays: null }, token);
  await call('revokeApiKey', { keyId: apiKey.keyId }, token);
  // Nothing listens there.
  const url = `http://127.0.0.1:9/${'w'.repeat(200)}`;
  const webhook = { url, events: ['*'], description: texts.webhook };
  const made = await call<{ webhook: { webhookId: string } }>('createWebhook', webhook, token);
  await call('sendTestEvent', { webhookId: made.webhook.webhookId }, token);
  const aDeck = () => world.aDeck(hostile, [page()], texts.title);
  const [expiredDeck, takenDeck, closedDeck] = [await aDeck(), await aDeck(), await aDeck()];
  const [revoked, mailed] = [await aDeck(), await aDeck()];
  await world.database.doc(`presentations/${expiredDeck.presentationId}`).update({ expiresAt: new Date(1) });
  const takedown = { at: new Date(), reason: texts.reason };
  await world.database.doc(`presentations/${takenDeck.presentationId}`).update({ takedown });
  for (const { presentationId } of [closedDeck, revoked])
    await call('unsharePresentation', { presentationId, all: true });
  const deck = await aFullDeck(world, hostile, guest, call);
  await mail(call, mailed, 'reader@example.org');
  await askAsHostile(world, deck, token);
  await beRead(deck);
  const text = (await world.mails('reader@example.org'))[0]!.text;
  return {
    newcomer,
    hostile,
    guest,
    deck,
    expiredDeck,
    takenDeck,
    closedDeck,
    revoked,
    plainDeck: await world.aDeck(await world.anOwner(), [page()], 'Plain'),
    /** The page behind the links of a mail. */
    mailUrl: /^http\S+\/mail\/\S+$/m.exec(text)![0],
    ...(await listingsOf(world, hostile, deck)),
  };
}

/** An open request for access to the deck, and an answered one. */
async function askAsHostile(world: World, deck: Deck, key: string): Promise<void> {
  type List = { requests: { requestId: string }[] };
  await askFor(deck, 'asker@example.org', texts.ask);
  const { requests } = await succeed(world.call<List>('listAccessRequests', undefined, { key }));
  await succeed(world.call('answerAccessRequest', { ...requests[0], allow: false }, { key }));
  await askFor(deck, `${'c'.repeat(60)}@example.com`, texts.ask);
}

type Call = <T>(name: string, input: object, key?: string) => Promise<T>;
const mail = (call: Call, { presentationId }: Deck, ...emails: string[]) =>
  call('sharePresentationViaEmail', { presentationId, emails, message: texts.message });

/** The runtime names a slide without a title, every second one here, by its number. */
const keyOf = (i: number) => (i % 2 ? `#${i + 1}` : `slide-${i}`);

/** Somebody reads a deck of 30 slides. */
async function beRead(deck: Deck): Promise<void> {
  const load = await (await aReader(deck, { referer: `https://${'w'.repeat(60)}.example.com/` })).load();
  const slides = Array.from({ length: 30 }, (_, i) => ({
    ...slide(keyOf(i), i, 1),
    title: i % 2 ? '' : texts.slide,
  }));
  await load.tell({ slideCount: 40, current: keyOf(29), slides });
  await runJob('foldInsights');
}

/** Pictures of the slides that are read, each with one grey. */
const pictures = () =>
  Array.from({ length: 30 }, (_, i) => ({ key: keyOf(i), bytes: drawing(() => i * 8), title: texts.slide }));

/** A deck with two versions, links of all states, mails of all outcomes, and collaborators. */
async function aFullDeck(world: World, person: Person, guest: Person, call: Call): Promise<Deck> {
  const deck = await world.aPushedDeck(person, [page('One'), page('Hostile', texts.file)], texts.title);
  const { presentationId } = deck;
  const second = [page('Two'), page('Hostile again', `new/${texts.file}`)];
  await aVersion(world, person, presentationId, second, texts.message);
  await showSlides(person, presentationId, 2, pictures(), world);
  await call('addPresentationToken', { presentationId, tokenName: texts.link });
  const input = { presentationId, tokenName: texts.revoked };
  const { tokenId } = await call<{ tokenId: string }>('addPresentationToken', input);
  await call('unsharePresentation', { presentationId, tokenId });
  await mail(call, deck, 'grace@example.com', `${'a'.repeat(200)}@nowhere`);
  await call('inviteCollaborator', { presentationId, email: `${'b'.repeat(60)}@example.com` });
  await world.addMember(deck, guest);
  return deck;
}

/**
 * A listing with ancestors, versions and remixes, whose words are hostile, and one with the least that a listing has.
 */
async function listingsOf(world: World, person: Person, deck: Deck) {
  const fields = { title: texts.listing, description: texts.description, category: texts.category };
  const { slug } = await world.aListing(person, { ...fields, tags: ['finance'], slug: 'hostile' }, deck);
  const { slug: plainSlug } = await world.aListing(person, { title: 'Plain', slug: 'plain' });
  const stored = (await world.database.doc(`listings/${slug}`).get()).data()!;
  const { ownerId, organizationId, presentationId, pinned } = stored as ReturnType<typeof aStoredListing>;
  const own = { ownerId, organizationId, presentationId, pinned };
  const ancestor = { slug: plainSlug, generation: 1, title: texts.ancestor };
  const self = { slug, generation: 1, title: texts.listing };
  await world.database.doc(`listings/${slug}`).update({
    lineage: [ancestor, { ...ancestor, slug: 'older' }],
    stars: 12_345,
    remixCount: 30,
    viewCount: 2,
    weekRemixerCount: 3,
    tags: ['finance', 'w'.repeat(40)],
    techStack: ['three.js', 'w'.repeat(40)],
    versions: [1, 2].map((version) => ({ version, since: new Date('2026-01-01') })),
  });
  await storeListings(
    Array.from({ length: 30 }, (_, i) =>
      aStoredListing({ ...own, ...fields, slug: `remix-${i}`, tags: ['finance', `t${i}`], lineage: [self, ancestor] }),
    ),
  );
  return { slug, plainSlug, authorPath: `/marketplace/by/${authorIdOf(ownerId)}` };
}
