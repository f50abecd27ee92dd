import { account } from './account';
import { deck } from './deck';
import { deckListing } from './deck-listing';
import { deckLinks, deckMails, deckPeople } from './deck-share';
import { deckVersions } from './deck-versions';
import { decks } from './decks';
import { devices } from './devices';
import { failures } from './failures';
import { insights, overview } from './insights';
import { keys } from './keys';
import { linkRules } from './link-rules';
import { pictures } from './pictures';
import { settings } from './settings';
import { requests } from './requests';
import { remix } from './remix';
import { push } from './push';
import { footer, shell } from './shell';
import { usage } from './usage';

/**
 * The texts of the dashboard, by area. Another language is another object of this type. The pages of activity and of
 * webhooks, which few people open, load their own texts: the first script has these alone.
 */
export const words = {
  account,
  deck,
  deckLinks,
  deckListing,
  deckMails,
  deckPeople,
  deckVersions,
  decks,
  devices,
  failures,
  footer,
  insights,
  keys,
  linkRules,
  overview,
  pictures,
  push,
  remix,
  requests,
  settings,
  shell,
  usage,
};
