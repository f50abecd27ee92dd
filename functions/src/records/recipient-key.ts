import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import { seal, unseal } from '../values/secrets';
import { collection, paths } from './collections';
import { read, readIn } from './database';
import { transact } from './transact';

/**
 * The key of the ids of recipients and of the links in mails. It is random and never changes: a change of the service
 * secret must not forget who stopped mails. It is stored once for each service secret that was current, sealed with
 * that secret.
 */
const sealedKey = z.object({ sealed: z.array(z.string()) });
const keyRef = () => collection(paths.recipientKeys, sealedKey).doc('current');

const PURPOSE = 'mail-recipient-key';

/** The key, or undefined when none of these secrets sealed it. */
function openKey(seals: readonly string[], secrets: readonly string[]): string | undefined {
  for (const text of seals) {
    try {
      return unseal(secrets, PURPOSE, text, '');
    } catch {
      // Another secret sealed this text.
    }
  }
  return undefined;
}

let loaded: { secrets: string; key: Promise<string> } | undefined;

/**
 * The key. Costs one read for each instance. The first call of the service makes the key, and the first one after a
 * change of the service secret seals it with the new secret, too. Throws when a key is stored and no configured secret
 * opens it: a new key would forget all stops.
 */
export function recipientKey(): Promise<string> {
  const secrets = serviceSecrets.accepted().join('\n');
  if (loaded?.secrets === secrets) return loaded.key;
  const key = load();
  const entry = { secrets, key };
  loaded = entry;
  key.catch(() => {
    if (loaded === entry) loaded = undefined;
  });
  return key;
}

/**
 * The stored key, for the command of operators: its secret may be that of another project, so it never makes or seals a
 * key. Throws when none is stored, and when none of its secrets opens it.
 */
export async function storedRecipientKey(): Promise<string> {
  const [found] = await read(keyRef());
  if (!found) throw new Error('The project has no key of mail recipients: its service has sent no mail yet.');
  return openKey(found.sealed, serviceSecrets.accepted()) ?? failSealed();
}

async function load(): Promise<string> {
  const [found] = await read(keyRef());
  return openKey(found?.sealed ?? [], [serviceSecrets.current()]) ?? sealKey();
}

/**
 * Seals the key with the current secret, and makes it when there is none. The seals of other secrets stay: functions
 * that were not deployed yet have only an earlier secret.
 */
function sealKey(): Promise<string> {
  return transact(async (tx) => {
    const [found] = await readIn(tx, keyRef());
    const seals = found?.sealed ?? [];
    const known = openKey(seals, serviceSecrets.accepted());
    if (known === undefined && seals.length > 0) failSealed();
    const key = known ?? randomBytes(32).toString('base64url');
    const isSealed = openKey(seals, [serviceSecrets.current()]) !== undefined;
    if (!isSealed) tx.set(keyRef(), { sealed: [seal(serviceSecrets.current(), PURPOSE, key, ''), ...seals] });
    return key;
  });
}

function failSealed(): never {
  throw new Error(
    'No secret in SERVICE_SECRET opens the stored key of mail recipients. Add the earlier secret to the list.',
  );
}
