/** The script of decks on origins of their own. */
import { attempt } from './attempt';
import { observe } from './seen';
import { start } from './start';

const isSeen = attempt(() => document.currentScript!.hasAttribute('data-seen') && top === self);

start();
// The address is a whole one: the `base` element of the deck may lead to another site.
if (isSeen) attempt(() => observe()({ url: `${location.origin}/_deck/seen` }));
