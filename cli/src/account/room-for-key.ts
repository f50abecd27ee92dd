import { isFailure } from '../../../client/src/failure';
import { plain } from '../../../client/src/format';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';
import { listLiveKeys, makeKey, type ListedKey, type MadeKey, type NewKey } from '../verbs/keys';
import { keyRows } from './key-rows';

interface Room {
  /** The prefix of the key that this computer uses. It is not offered. */
  keptPrefix: string | undefined;
  /** What to do when there is no room and no terminal. */
  nextAction: (example: ListedKey) => string;
}

/**
 * Makes a key. When the organization has as many keys as it may have, shows them, and in a terminal offers to revoke
 * one. The same session does both, so that no other code is needed.
 */
export async function makeKeyWithRoom(
  session: DeckService,
  wanted: NewKey,
  { keptPrefix, nextAction }: Room,
  terminal: Terminal,
): Promise<MadeKey> {
  try {
    return await makeKey(session, wanted);
  } catch (error) {
    if (!isFailure(error, 'MAX_API_KEYS_REACHED')) throw error;
    const keys = (await listLiveKeys(session)).filter(({ keyPrefix }) => keyPrefix !== keptPrefix);
    const [oldest] = [...keys].sort((a, b) => lastUse(a).localeCompare(lastUse(b)));
    if (!oldest) throw error;
    for (const line of keyRows(keys)) terminal.say(`  ${line}`);
    const details = { ...error.details, keys: keys.map(({ userId: _userId, ...key }) => key) };
    if (!terminal.canPrompt) throw error.with({ nextAction: nextAction(oldest), details });
    await revokeOne(session, keys, error.message, terminal);
    return makeKey(session, wanted);
  }
}

const lastUse = ({ lastUsedAt, createdAt }: ListedKey) => lastUsedAt ?? createdAt;

async function revokeOne(session: DeckService, keys: readonly ListedKey[], why: string, terminal: Terminal) {
  terminal.warn(why);
  const found = (text: string) => keys.filter(({ keyPrefix, keyId }) => text === keyPrefix || text === keyId);
  const answer = await terminal.ask('Prefix of the key to revoke:', (text) =>
    found(text).length === 1
      ? undefined
      : 'Enter the prefix of one of these keys. If two keys have the same prefix, enter the id.',
  );
  const [key] = found(answer);
  if (!key) return;
  await session.post('revokeApiKey', { keyId: key.keyId });
  terminal.say(`Revoked the key ${key.keyPrefix}… "${plain(key.name)}". Copies of this key no longer work.`);
}
