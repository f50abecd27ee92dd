import { serviceSecrets } from '../config';
import { fail } from '../errors';
import { STOP_SECONDS } from '../policy/codes';
import { seal, unseal } from '../values/secrets';
import { read, readIn } from './database';
import { codesOfAddress, codesRef } from './one-time-codes';
import { recipientKey } from './recipient-key';
import { transact } from './transact';

const PURPOSE = 'code-link';

/** The token in the link of a mail with a code. It is sealed, so it does not reveal the address. */
export function codeLinkToken(email: string, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + STOP_SECONDS;
  return seal(serviceSecrets.current(), PURPOSE, `${expires} ${email}`, '');
}

/** The address of such a link. not-found for a text that the service did not seal, expired after 24 hours. */
export function addressOfCodeLink(token: string, now: Date): string {
  let plain: string;
  try {
    plain = unseal(serviceSecrets.accepted(), PURPOSE, token, '');
  } catch {
    return fail('not-found');
  }
  const space = plain.indexOf(' ');
  return Number(plain.slice(0, space)) * 1000 > now.getTime() ? plain.slice(space + 1) : fail('expired');
}

/** Until when the address gets no codes for devices that have not signed in before; null when it gets them. */
export async function findCodeStop(email: string, now: Date): Promise<Date | null> {
  const [stored] = await read(codesRef(await recipientKey(), email));
  return stored?.stoppedUntil && stored.stoppedUntil > now ? stored.stoppedUntil : null;
}

/** Stops codes for unknown devices for 24 hours, or allows them again. Codes that were mailed stay valid. */
export async function setCodeStop(email: string, isStopped: boolean, now: Date): Promise<Date | null> {
  const stoppedUntil = isStopped ? new Date(now.getTime() + STOP_SECONDS * 1000) : null;
  const ref = codesRef(await recipientKey(), email);
  await transact(async (tx) => {
    const [stored] = await readIn(tx, ref);
    if (stored || stoppedUntil) tx.set(ref, codesOfAddress(stored?.codes ?? [], stoppedUntil));
  });
  return stoppedUntil;
}
