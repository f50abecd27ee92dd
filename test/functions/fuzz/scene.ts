import { randomUUID } from 'node:crypto';
import { navigation, openOnOrigin, type OpenedLink } from '../../support/deck-origin';
import { blob, page, sha256, type Account, type Deck, type World } from '../../support/world';
import type { Known } from './values';

/** What exists before the first request: values for the fields of the inputs, by their names. */
export interface Scene {
  known: Known;
  link: OpenedLink;
}

export async function makeScene(world: World): Promise<Scene> {
  const [owner, other] = [await world.aPublisher('pro'), await world.anOwner()];
  const files = [page(), page('two', 'a/two.html'), { ...blob(5000), path: 'film.mp4', contentType: 'video/mp4' }];
  const decks = [await world.aDeck(owner, files), await world.aDeck(owner, files), await world.aDeck(other, files)];
  const listings = [await world.aListing(owner, {}, decks[0]), await world.aListing(owner)];
  const sessions = [await world.aSession(owner), await world.aSession(owner)];
  const keys = await keysOf(world, owner, other, decks);
  const hashes = files.map(({ bytes }) => sha256(bytes));
  const link = await openOnOrigin(
    `${world.cloud.hostingUrl}/share/${decks[1]!.presentationId}?token=${decks[1]!.token}`,
  );
  return {
    link,
    known: {
      ...keys,
      presentationId: decks.map(({ presentationId }) => presentationId),
      token: decks.map(({ token }) => token),
      tokenId: decks.map(({ tokenId }) => tokenId),
      slug: listings.map(({ slug }) => slug),
      sessionId: sessions.map(({ sessionId }) => sessionId),
      sha256: hashes,
      sha256s: [hashes, hashes.slice(1)],
      hashes: [hashes],
      assetPath: [...files.map(({ path }) => path), '', 'a', 'a/', 'missing.html'],
      version: [1, 2],
      from: [1],
      to: [1, 2],
      limit: [1, 50],
      entryPath: ['index.html'],
      files: [
        files.map(({ path, bytes, contentType }) => ({ path, sha256: sha256(bytes), size: bytes.length, contentType })),
      ],
      email: [owner.email, other.email, `new-${randomUUID()}@example.org`],
      code: [await codeOf(world, other.email), '000000'],
      keyId: [other.keyId, randomUUID()],
    },
  };
}

/** Credentials that pass some endpoints, and those that pass none. */
async function keysOf(world: World, owner: Account, other: Account, decks: readonly Deck[]): Promise<Known> {
  const dev = await world.anOwner();
  for (const deck of decks) await world.addMember(deck, dev);
  const session = await world.aDashboardSession(owner);
  const wrong = [dev.key, other.key, await world.anAdmin(), session].map((key) => `Bearer ${key}`);
  return {
    key: [owner.key],
    session: [session, await world.aDashboardSession(other)],
    wrongKey: [...wrong, '', 'Bearer', 'Bearer x', `bearer  ${owner.key}`, 'Basic YTpi', `Bearer ${'x'.repeat(3000)}`],
  };
}

async function codeOf(world: World, email: string): Promise<string> {
  await world.call('cliRequestLoginOtp', { email });
  return world.mailedCode(email);
}

export { navigation };
