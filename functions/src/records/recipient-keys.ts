import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import { logWarning } from '../log';
import { seal, unseal } from '../values/secrets';
import { collection, paths } from './collections';
import { read, readIn } from './database';
import { transact } from './transact';

/**
 * The keys of the ids of recipients and of the links in mails, sealed, the newest first. They are random and never
 * change: a service secret that is replaced must not forget who stopped mails. More than one exists only when the
 * service once ran without the secret that sealed the others.
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

let loaded: { secrets: string; keys: Promise<readonly string[]> } | undefined;

/**
 * The keys, the one for new ids and links first. Costs one read for each instance. The first call of the service makes
 * a key, and the first one after a change of the service secret seals the keys with the new secret.
 */
export function recipientKeys(): Promise<readonly string[]> {
  const secrets = serviceSecrets.accepted().join('\n');
  if (loaded?.secrets === secrets) return loaded.keys;
  const keys = load();
  loaded = { secrets, keys };
  keys.catch(() => (loaded = undefined));
  return keys;
}

async function load(): Promise<readonly string[]> {
  const [found] = await read(listRef());
  const keys = (found?.sealed ?? []).flatMap((text) => opened(text, [serviceSecrets.current()]) ?? []);
  return keys.length > 0 && keys.length === found!.sealed.length ? keys : sealAll();
}

/** Seals every key that can be opened with the current secret, and makes a key when none can be opened. */
function sealAll(): Promise<readonly string[]> {
  return transact(async (tx) => {
    const [found] = await readIn(tx, listRef());
    const before = found?.sealed ?? [];
    const after = before.map((text) => {
      const key = opened(text, serviceSecrets.accepted());
      const isCurrent = key === undefined || opened(text, [serviceSecrets.current()]) !== undefined;
      return { key, text: isCurrent ? text : sealed(key) };
    });
    const lost = after.filter(({ key }) => key === undefined).length;
    if (lost > 0) logWarning('Stops of mails need a service secret that is not configured.', `${lost} sealed keys`);
    if (lost === after.length) {
      const key = randomBytes(32).toString('base64url');
      after.unshift({ key, text: sealed(key) });
    }
    if (after.some(({ text }) => !before.includes(text))) tx.set(listRef(), { sealed: after.map(({ text }) => text) });
    return after.flatMap(({ key }) => key ?? []);
  });
}
