import { removeSentPictures, storeSentPictures } from '../blobs/slide-pictures';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import type { ReceivedFile } from '../http/multipart';
import { slideLimits } from '../policy/slide-pictures';
import { read, readIn, refIf } from '../records/database';
import { assertRoomFor, usageRef } from '../records/organization-usage';
import { organizationOf, organizationRef } from '../records/organizations';
import { pictureTaskRef, setSentPictures } from '../records/picture-tasks';
import { presentationRef, type Presentation } from '../records/presentations';
import { countRequest } from '../records/request-windows';
import { transact } from '../records/transact';

interface SentSlides {
  presentationId: string;
  version: number;
  slides: readonly (Pick<ReceivedFile, 'sizeBytes' | 'open'> & { key: string; title: string | null })[];
}

/**
 * Stores the pictures of the slides of the newest version until a job makes them. Throws conflict when the version is
 * not the newest one, when the owner wants no pictures, and when the organization has no room for them; nothing has
 * changed then. The job counts the bytes of what it makes, so pictures that wait are not counted.
 */
export async function sendPictures(
  { presentationId, version, slides }: SentSlides,
  { caller, authorize, now }: Pick<Call<unknown, Caller>, 'caller' | 'authorize' | 'now'>,
): Promise<void> {
  const [found, own, ownUsage] = await read(
    presentationRef(presentationId),
    refIf(organizationRef, caller.organizationId),
    refIf(usageRef, caller.organizationId),
  );
  const deck = authorize(found);
  assertTakesPictures(deck, version);
  const { organizationId } = deck;
  const isOwn = own?.organizationId === organizationId;
  const [organization, [usage]] = await Promise.all([
    organizationOf(deck, own),
    isOwn ? [ownUsage] : read(usageRef(organizationId)),
  ]);
  const storedBytes = slides.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  assertRoomFor(organization, usage, { storedBytes }, now);
  await countRequest('drawer', organizationId, slideLimits.callsAnHour, now);
  const sentId = await storeSentPictures(presentationId, slides);
  const sent = {
    sentId,
    organizationId,
    slides: slides.map(({ key, title, sizeBytes }) => ({ key, title, sizeBytes })),
  };
  let unused: string | undefined = sentId;
  try {
    unused = await transact(async (tx) => {
      const [present, task] = await readIn(
        tx,
        presentationRef(presentationId),
        pictureTaskRef(presentationId, version),
      );
      assertTakesPictures(authorize(present), version);
      setSentPictures(tx, presentationId, { version, sent, now });
      return task?.sent?.sentId;
    });
  } finally {
    if (unused !== undefined) await removeSentPictures(presentationId, unused);
  }
}

function assertTakesPictures({ current, slidePictures }: Presentation, version: number): void {
  if (!slidePictures)
    fail('conflict', undefined, {
      message: 'The owner of the deck does not want pictures of its slides.',
      nextAction: 'Ask the owner to allow them.',
    });
  if (version !== current.version)
    fail('conflict', undefined, {
      message: `Version ${current.version} is the newest one.`,
      nextAction: 'Send the pictures of the newest version.',
    });
}
