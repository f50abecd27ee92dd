import { attempt } from './attempt';
import type { Receiver } from './beacons';
import { openOtherOriginsInTabs } from './links';
import { answerOuterPage } from './outer-page';
import { replaceDeniedStorage } from './storage';

/**
 * Starts the parts that every deck has. In a frame, `observe` starts to count what the reader looks at; its function is
 * called when the page around the deck names the receiver.
 */
export function start(observe?: () => (to: Receiver) => void): void {
  attempt(() => document.currentScript!.remove());
  attempt(replaceDeniedStorage);
  // A frame within the deck is the deck's own affair.
  if (attempt(() => parent !== self && parent === top && !frameElement)) {
    attempt(openOtherOriginsInTabs);
    const sendTo = observe && attempt(observe);
    attempt(() => answerOuterPage(sendTo));
  }
}
