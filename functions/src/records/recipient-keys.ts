import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import { seal, unseal } from '../values/secrets';
import { collection, paths } from './collections';
import { read, readIn } from './database';
import { transact } from './transact';

/**
 * The keys of the ids of recipients and of the links in mails, sealed, the newest first. They are random and never
 * change: a service secret that is replaced must not forget who stopped mails. A key may have several seals, one for
 * each service secret that was current. Lists of earlier versions may have more than one key.
 */
const recipientKeyList = z.object({ sealed: z.array(z.string()) });
const listRef = () => collection(paths.recipientKeys, recipientKeyList).doc('current');

const PURPOSE = 'mail-recipient-key';
const sealed = (key: string) => seal(serviceSecrets.current(), PURPOSE, key, '');

/** The key, or undefined when none of these secrets sealed it. */
function opened(text: string, secrets: readonly string[]): string | undefined {
  try {
    return unseal(secrets, PURPOSE, text, '');
  } catch {
    return undefined;
  }
}

let loaded: { secrets: string; at: number; keys: Promise<readonly string[]> } | undefined;

/**
 * The keys, the one for new ids and links first. Costs one read for each instance, and one when the keys were read more
 * than `maxAgeMs` ago. The first call of the service makes a key, and the first one after a change of the service secret
 * seals the keys with the new secret, too. Throws when keys are stored and no configured secret opens one of them: a new
 * key would forget all stops.
 */
export function recipientKeys(maxAgeMs = Infinity): Promise<readonly string[]> {
  const secrets = serviceSecrets.accepted().join('\n');
  if (loaded?.secrets === secrets && Date.now() - loaded.at <= maxAgeMs) return loaded.keys;
  const keys = load();
  const entry = { secrets, at: Date.now(), keys };
  loaded = entry;
  keys.catch(() => {
    if (loaded === entry) loaded = undefined;
  });
  return keys;
}

async function load(): Promise<readonly string[]> {
  const [found] = await read(listRef());
  const { keys, others } = openAll(found?.sealed ?? []);
  const isCurrent = (found?.sealed.length ?? 0) - others.length === keys.length;
  return keys.length > 0 && isCurrent ? keys : sealAll();
}

/** The different keys of the seals, and the seals that the current secret does not open. */
function openAll(seals: readonly string[]): { keys: string[]; others: string[] } {
  const keys = new Set(seals.flatMap((text) => opened(text, serviceSecrets.accepted()) ?? []));
  const others = seals.filter((text) => opened(text, [serviceSecrets.current()]) === undefined);
  return { keys: [...keys], others };
}

/**
 * Seals every key with the current secret, and makes the first key. Seals of other secrets stay: functions that were not
 * deployed yet have only an earlier secret.
 */
function sealAll(): Promise<readonly string[]> {
  return transact(async (tx) => {
    const [found] = await readIn(tx, listRef());
    const { keys, others } = openAll(found?.sealed ?? []);
    if (keys.length === 0 && others.length > 0) {
      throw new Error(
        'No secret in SERVICE_SECRET opens the stored keys of mail recipients. Add the earlier secret to the list.',
      );
    }
    if (keys.length === 0) keys.push(randomBytes(32).toString('base64url'));
    tx.set(listRef(), { sealed: [...keys.map(sealed), ...others] });
    return keys;
  });
}
