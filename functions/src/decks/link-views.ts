import type { Context } from '../context';
import { logWarning } from '../log';
import { countView } from '../records/view-counters';
import type { OpenLink } from './open-link';

/**
 * Counts a load of an open link as a view (interface.md). One by the owner or a dev counts nowhere else. It never
 * rejects: the viewer gets the deck although the view is lost.
 */
export async function countLinkView(
  context: Context,
  { deck, tokenId, served }: OpenLink,
  isOwn: boolean,
  at: Date,
): Promise<void> {
  try {
    await countView(context, { deck, tokenId, version: served.version, isOwn, at });
  } catch (error) {
    logWarning('A view was not counted.', error, {}, context);
  }
}
