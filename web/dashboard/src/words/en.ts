import { account } from './account';
import { decks } from './decks';
import { failures } from './failures';
import { keys } from './keys';
import { settings } from './settings';
import { remix } from './remix';
import { shell } from './shell';
import { usage } from './usage';

/** Every text of the dashboard, by area. Another language is another object of this type. */
export const words = { account, decks, failures, keys, remix, settings, shell, usage };
