import { account } from './account';
import { decks } from './decks';
import { failures } from './failures';
import { remix } from './remix';
import { shell } from './shell';

/** Every text of the dashboard, by area. Another language is another object of this type. */
export const words = { account, decks, failures, remix, shell };
