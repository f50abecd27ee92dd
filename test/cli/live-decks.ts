import { aDeck, done } from './testbed';

/** Decks with a live session. */

// An instance counts its streams each third beat.
process.env['LIVE_BEAT_MS'] = '100';

export interface Live {
  presentationId: string;
  liveId: string;
  presenterUrl: string;
  audienceUrl: string;
  hasPresenter: boolean;
}

export const live = (...args: string[]) => done<Live>('live', ...args);

export async function aLiveDeck() {
  const { folder, shareUrl } = await aDeck();
  return { folder, shareUrl, started: await live(folder) };
}
