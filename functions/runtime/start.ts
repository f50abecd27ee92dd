import { attempt } from './attempt';
import { openOtherOriginsInTabs } from './links';
import { answerOuterPage } from './outer-page';
import { observe } from './seen';
import { replaceDeniedStorage } from './storage';

/**
 * Starts the parts that every deck has. In a frame that is given `join`, it counts what the reader looks at, and takes
 * part in live sessions, as the page around the deck asks.
 */
export function start(join?: (ticket: string) => void): void {
  attempt(() => document.currentScript!.remove());
  attempt(replaceDeniedStorage);
  // A frame within the deck is the deck's own affair.
  if (attempt(() => parent !== self && parent === top && !frameElement)) {
    attempt(openOtherOriginsInTabs);
    const sendTo = join && attempt(() => observe(join));
    attempt(() => answerOuterPage(sendTo, join));
  }
}
