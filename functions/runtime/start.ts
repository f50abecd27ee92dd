import { attempt } from './attempt';
import { openOtherOriginsInTabs } from './links';
import { answerOuterPage } from './outer-page';
import { replaceDeniedStorage } from './storage';

/** Starts the parts that every deck has. */
export function start(): void {
  attempt(() => document.currentScript!.remove());
  attempt(replaceDeniedStorage);
  // A frame within the deck is the deck's own affair.
  if (attempt(() => parent !== self && parent === top && !frameElement)) {
    attempt(openOtherOriginsInTabs);
    attempt(answerOuterPage);
  }
}
