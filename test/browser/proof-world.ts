import { authorIdOf } from '../../functions/src/policy/listings';
import { aStoredListing, storeListings } from '../support/listings';
import { page, succeed, type Account, type Deck, type World } from '../support/world';

/**
 * Begins every hostile text: an override of the direction that does not end, and Hebrew. `proof-probe.cjs` knows it.
 */
const MARK = '\u202eשלום';
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
};
hostileTexts.push(
  texts.file,
  `new/${texts.file}`,
  `./${texts.file.replace(/\.html$/, '')}`,
  `${texts.firstName} ${texts.lastName}`,
);

/** An account, its session, and what its names say. */
export interface Person extends Account {
  session: { token: string; expiresAt: string; user: object; organization: object };
}

export interface ProofWorld {
  /** Somebody who has just signed up. */
  newcomer: Person;
  /** Somebody whose texts are all hostile. */
  hostile: Person;
  /** Somebody who works on the deck of the hostile person. */
  guest: Person;
  deck: Deck;
  plainDeck: Deck;
  expiredDeck: Deck;
  /** Without an open link. */
  closedDeck: Deck;
  slug: string;
  plainSlug: string;
  authorPath: string;
  revoked: { share: string; file: string };
  mailUrl: string;
}

async function aPerson(world: World, displayName: string, organization: string): Promise<Person> {
  const account = await world.aPublisher();
  const { email, userId, organizationId } = account;
  const token = await world.aDashboardSession(account);
  const session = {
    token,
    expiresAt: new Date(Date.now() + 3600_000).toISOString(),
    user: { userId, displayName, email },
    organization: { organizationId, name: organization },
  };
  return { ...account, session };
}

/** A world in which every text of people is hostile, with the states that pages show. */
export async function hostileWorld(world: World): Promise<ProofWorld> {
  const name = `${texts.firstName} ${texts.lastName}`;
  const [newcomer, person, guest] = await Promise.all([
    aPerson(world, 'Ada', "Ada's workspace"),
    aPerson(world, name, texts.organization),
    aPerson(world, 'Grace', "Grace's workspace"),
  ]);
  const session = await world.aDashboardSession(person);
  const { firstName, lastName, organization, description } = texts;
  await succeed(world.call('updateProfile', { firstName, lastName }, { key: session }));
  const changed = { name: organization, description, tone: description, brandPrimary: '#8a1c3b' };
  await succeed(world.call('updateOrganization', changed, { key: session }));
  const deck = await aFullDeck(world, person, guest);
  const plainDeck = await world.aDeck(newcomer, [page()], 'Plain');
  const expiredDeck = await world.aDeck(person, [page()], texts.title);
  await world.database.doc(`presentations/${expiredDeck.presentationId}`).update({ expiresAt: new Date(1) });
  const closedDeck = await world.aDeck(person, [page()], texts.title);
  const { presentationId } = closedDeck;
  await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: person.key }));
  await keysOf(world, person);
  return {
    newcomer: await aPerson(world, 'Ada', "Ada's workspace"),
    hostile: person,
    guest,
    deck,
    plainDeck,
    expiredDeck,
    closedDeck,
    ...(await listingsOf(world, person, deck)),
    ...(await linksOf(world, person)),
  };
}

/** A deck with two versions, links of all states, mails of all outcomes, and collaborators. */
async function aFullDeck(world: World, person: Person, guest: Person): Promise<Deck> {
  const { key } = person;
  const call = <T>(name: string, input: object) => succeed(world.call<T>(name, input, { key }));
  const deck = await world.aPushedDeck(person, [page('One'), page('Hostile', texts.file)], texts.title);
  const { presentationId } = deck;
  const second = [page('Two'), page('Hostile again', `new/${texts.file}`)];
  await world.uploadAll(person, { presentationId }, second);
  await world.commit(person, { presentationId, message: texts.message }, second);
  await call('addPresentationToken', { presentationId, tokenName: texts.link });
  const { tokenId } = await call<{ tokenId: string }>('addPresentationToken', {
    presentationId,
    tokenName: texts.revoked,
  });
  await call('unsharePresentation', { presentationId, tokenId });
  const emails = ['grace@example.com', `${'a'.repeat(200)}@nowhere`];
  await call('sharePresentationViaEmail', { presentationId, emails, message: texts.message });
  await call('inviteCollaborator', { presentationId, email: `${'b'.repeat(60)}@example.com` });
  await world.addMember(deck, guest);
  return deck;
}

async function keysOf(world: World, person: Person): Promise<void> {
  const key = await world.aDashboardSession(person);
  const input = { name: texts.key, description: texts.description, scopes: ['presentations:read'] };
  await succeed(world.call('createApiKey', input, { key }));
  const { apiKey } = await succeed(
    world.call<{ apiKey: { keyId: string } }>('createApiKey', { ...input, expiresInDays: null }, { key }),
  );
  await succeed(world.call('revokeApiKey', { keyId: apiKey.keyId }, { key }));
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
    weekRemixCount: 3,
    tags: ['finance', 'w'.repeat(40)],
    techStack: ['three.js', 'w'.repeat(40)],
    versions: [1, 2].map((version) => ({ version, since: new Date('2026-01-01') })),
  });
  await storeListings(
    Array.from({ length: 30 }, (_, i) =>
      aStoredListing({
        ...own,
        slug: `remix-${i}`,
        title: texts.listing,
        description: texts.description,
        category: texts.category,
        tags: ['finance', `t${i}`],
        lineage: [self, ancestor],
      }),
    ),
  );
  return { slug, plainSlug, authorPath: `/marketplace/by/${authorIdOf(ownerId)}` };
}

/** A revoked link, and the page behind the links of a mail. */
async function linksOf(world: World, person: Person) {
  const { key } = person;
  const deck = await world.aDeck(person, [page()], texts.title);
  const { presentationId, tokenId } = deck;
  await succeed(world.call('unsharePresentation', { presentationId, tokenId }, { key }));
  const other = await world.aDeck(person, [page()], texts.title);
  const emails = ['reader@example.org'];
  const input = { presentationId: other.presentationId, emails, message: texts.message };
  await succeed(world.call('sharePresentationViaEmail', input, { key }));
  const [mail] = await world.mails(emails[0]!);
  const mailUrl = /^http\S+\/mail\/\S+$/m.exec(mail!.text)![0];
  return { revoked: { share: deck.shareUrl, file: world.viewUrl(deck) }, mailUrl };
}
