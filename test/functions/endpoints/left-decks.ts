import { readIn } from '../../../functions/src/records/database';
import { beginDeletion } from '../../../functions/src/records/deletions';
import { presentationRef } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { runJob } from '../../support/jobs';
import { everythingStored } from '../../support/whole-store';
import { type Account, blob, type Deck, page, sha256, startWorld, succeed, world } from '../../support/world';

/** Decks and sessions that are to be deleted, and what a test leaves in the whole store. */

export const HOUR = 3600;

export let owner: Account;
let before: string[];

/** Starts the world before the tests of this file. */
export function startDeleting(): void {
  startWorld();
  beforeEach(async () => {
    owner = await world.anOwner('enterprise');
    // The loads of the decks of other tests.
    await runJob('foldInsights');
    before = await everythingStored(world);
  });
}

/**
 * The documents and objects that the test added, without the mail window of the organization, the records and keys of
 * recipients, and the state of the marketplace's job. The job of pictures forgets a deck that is gone within a minute.
 */
export const leftovers = async () => {
  await runJob('makePictures');
  const known = new Set([...before, `mailWindows/${owner.organizationId}`, 'marketplaceStates/current']);
  return (await everythingStored(world)).filter(
    (name) => !known.has(name) && !/^(mailRecipients|recipientKeys)\//.test(name),
  );
};

/** A deck with documents in every collection of a deck. */
export async function aFullDeck(): Promise<Deck> {
  const deck = await world.aDeck(owner, [page('one'), blob(10)]);
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, [page('two')]);
  await succeed(world.commit(owner, { presentationId }, [page('two')]));
  await succeed(world.call('addPresentationToken', { presentationId, tokenName: 'x' }, { key: owner.key }));
  const invitation = { presentationId, email: `dev-${presentationId}@example.org` };
  await succeed(world.call('inviteCollaborator', invitation, { key: owner.key }));
  await world.visit(world.viewUrl(deck));
  return deck;
}

/** A deck whose deletion was cut off: the deck is gone, and one of its three blob records. */
export async function aHalfDeletedDeck(): Promise<Deck> {
  const deck = await aFullDeck();
  await transact(async (tx) => {
    const [record] = await readIn(tx, presentationRef(deck.presentationId));
    beginDeletion(tx, record!, owner.userId, new Date());
  });
  await world.database.doc(`presentations/${deck.presentationId}/blobs/${sha256(page('two').bytes)}`).delete();
  return deck;
}

/** A session that was never committed, with three uploaded files. */
export async function aLeftSession() {
  const session = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId: session.sessionId }, [page(), blob(10), blob(2000)]);
  return session;
}
