import { DAY_MS } from './units';
import { isMac, mac } from './secrets';

/** How long a device is known after a sign-in. */
const DEVICE_TTL_MS = 90 * DAY_MS;

/** The user who signed in on a device. `epoch` grows when the devices of the user are forgotten. */
interface Device {
  email: string;
  userId: string;
  epoch: number;
}

const signatureOf = (secret: string, { email, userId, epoch }: Device, expires: string) =>
  mac(secret, 'device', email, userId, String(epoch), expires);

/** The token with which a device shows that a user has signed in on it. It reveals neither the address nor the user. */
export function writeDeviceToken(secret: string, device: Device, now: Date): string {
  const expires = String(Math.floor((now.getTime() + DEVICE_TTL_MS) / 1000));
  return `ckd_${expires}_${signatureOf(secret, device, expires)}`;
}

/** Whether one of the secrets signed the token for this device, and it has not expired. */
export function isDeviceToken(secrets: readonly string[], token: string, device: Device, now: Date): boolean {
  const [, expires = '', signature = ''] = /^ckd_(\d{1,11})_([\da-f]{64})$/.exec(token) ?? [];
  if (!signature || Number(expires) * 1000 <= now.getTime()) return false;
  return isMac(signature, secrets, (secret) => signatureOf(secret, device, expires));
}
