import type { Context } from '../context';
import { logWarning } from '../log';
import { countView } from '../records/view-counters';
import type { OpenLink } from './open-link';

/** Counts a view of an open link. It never rejects: the viewer gets the deck although the view is lost. */
export async function countLinkView(context: Context, { deck, tokenId }: OpenLink, at: Date): Promise<void> {
  try {
    await countView(context, deck, tokenId, at);
  } catch (error) {
    logWarning('A view was not counted.', error, {}, context);
  }
}
