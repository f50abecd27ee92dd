import { hostname } from 'node:os';

/** The name of a key that a signup or a login makes: it tells the computers of the user apart in the list of keys. */
export function defaultKeyName({ publish = false }: { publish?: boolean | undefined }): string {
  return `${publish ? 'CLI key that may publish' : 'CLI default key'} (${hostname()})`;
}
