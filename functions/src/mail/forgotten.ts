import { oneLine } from '../values/mail-text';
import { letter } from './letter';
import type { Mail } from './send';

/** Tells who asked for it that the address of a reader was removed. */
export const forgottenMail = (to: string, forgotten: string): Mail =>
  letter(to, 'A reader was forgotten', [
    `${oneLine(forgotten, 254)} was removed from the views, openings and links of your decks. Records of sent emails keep a hash of the address.`,
  ]);
