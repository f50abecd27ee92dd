import { plain } from '../../../client/src/format';
import { columns } from '../columns';
import type { ListedKey } from '../verbs/keys';
import { localDay } from '../show-time';

const day = (time: string | null, never: string) => (time === null ? never : localDay(time));

/** The keys as aligned lines. `isInUse` tells whether this computer uses a key. */
export function keyRows(
  keys: readonly ListedKey[],
  isInUse: (key: ListedKey) => boolean = ({ isCaller }) => isCaller,
): string[] {
  return columns(
    keys.map((key) => [
      `${key.keyPrefix}…`,
      plain(key.name),
      `created ${day(key.createdAt, '')}`,
      `used ${day(key.lastUsedAt, 'never')}`,
      `expires ${day(key.expiresAt, 'never')}`,
      key.scopes.join(', ') + (isInUse(key) ? '  (in use here)' : ''),
    ]),
  );
}
