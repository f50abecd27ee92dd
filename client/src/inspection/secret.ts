import { Failure } from '../failure';
import { plain } from '../format';
import type { Warning } from './warning';

/** A file of a push that looks like a secret. It never holds the secret itself. */
export interface Secret {
  path: string;
  /** The line of the first one of this kind; undefined when the whole file is one. */
  line?: number;
  /** In words: `a private key`. */
  kind: string;
}

const SHOWN = 10;

/** The same as a warning, for a dry run and for a push that publishes it on purpose. */
export const secretWarning = (secret: Secret): Warning => ({
  code: 'secret',
  path: secret.path,
  source: placeOf(secret),
  message: `${inWords(secret)}. Everyone with a link can read it.`,
  nextAction: 'Take it out of the folder, or name the file in .deckignore.',
});

/** The failure of a push that nobody allowed to publish what it found. */
export function refuseSecrets(secrets: readonly Secret[]): Failure {
  const shown = secrets.slice(0, SHOWN).map(inWords);
  if (secrets.length > SHOWN) shown.push(`${secrets.length - SHOWN} more`);
  return new Failure(`Nothing was pushed: the files look like secrets. ${shown.join('; ')}.`, {
    code: 'secrets',
    nextAction: 'Take them out of the folder, or name the files in .deckignore. Otherwise push with allowSecrets.',
    details: { secrets },
  });
}

const placeOf = ({ path, line }: Secret) => plain(line === undefined ? path : `${path}:${line}`);
const inWords = (secret: Secret) => `${placeOf(secret)} has ${secret.kind}`.replace(' has a file of', ' is a file of');
