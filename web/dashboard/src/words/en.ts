import { account } from './account';
import { activity } from './activity';
import { deck } from './deck';
import { deckListing } from './deck-listing';
import { deckLinks, deckMails, deckPeople } from './deck-share';
import { deckVersions } from './deck-versions';
import { decks } from './decks';
import { devices } from './devices';
import { events } from './events';
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
import { webhooks } from './webhooks';

/** Every text of the dashboard, by area. Another language is another object of this type. */
export const words = {
  account,
  activity,
  deck,
  deckLinks,
  deckListing,
  deckMails,
  deckPeople,
  deckVersions,
  decks,
  devices,
  events,
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
  webhooks,
};
