import { config } from '../config';
import type { Manifest, ManifestFile } from '../policy/manifest';
import { deckView, versionView } from '../rows/decks';
import { shareUrl } from '../values/share-tokens';
import type { Transaction } from './database';
import { addEvent } from './events';
import { presentationRef, type Presentation } from './presentations';
import { createFirstLink } from './share-links';
import { uploadSessionRef } from './upload-sessions';
import { createVersion } from './versions';

/** A new deck. The transaction has taken room for its `storedBytes`. */
interface NewDeck extends Pick<
  Presentation,
  'presentationId' | 'ownerId' | 'organizationId' | 'title' | 'createdAt' | 'remixedFrom' | 'storedBytes'
> {
  message: string | null;
  entryPath: string;
  isolation: Presentation['current']['isolation'];
  /**
   * The session that reserved the deck's id. The transaction that creates the deck deletes it, so only one of the two
   * exists.
   */
  sessionId: string;
}

/**
 * Creates a deck with version 1 and a link that follows the latest version, and deletes the session. The transaction
 * has read the session and found it open. The function that `prepareManifest` returned writes the manifest. The raw
 * token is returned only here.
 */
export function createDeck(
  tx: Transaction,
  { message, entryPath, isolation, sessionId, ...deck }: NewDeck,
  manifest: Manifest,
  files: readonly ManifestFile[],
) {
  const { presentationId, organizationId, ownerId, title, createdAt } = deck;
  const by = { createdBy: ownerId, createdAt };
  const first = { version: 1, title, message, entryPath, isolation, manifest, ...by };
  const { created, pointer: current } = createVersion(tx, presentationId, first, files);
  const { token, link, shown } = createFirstLink(tx, presentationId, ownerId, createdAt);
  const record: Presentation = {
    ...deck,
    memberIds: [ownerId],
    unusedMemberIds: [],
    pendingInvitations: 0,
    current,
    picture: null,
    slideBytes: 0,
    slidePictures: true,
    ...shown,
    viewShards: 1,
    updatedAt: createdAt,
    updatedBy: ownerId,
    takedown: null,
    listingSlug: null,
    tokensRevokedAt: null,
    tracking: 'full',
    live: null,
    expiresAt: null,
  };
  tx.create(presentationRef(presentationId), record);
  const data = { presentation: deckView(record), version: versionView(created) };
  addEvent(tx, 'presentation.published', { organizationId, presentationId }, data);
  tx.delete(uploadSessionRef(sessionId));
  return {
    presentationId,
    version: 1,
    tokenId: link.tokenId,
    token,
    shareUrl: shareUrl(config.viewerUrl(), presentationId, token),
    fileCount: manifest.fileCount,
    totalBytes: manifest.totalBytes,
  };
}
