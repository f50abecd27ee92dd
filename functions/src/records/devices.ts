import { serviceSecrets } from '../config';
import { isDeviceToken, writeDeviceToken } from '../values/device-tokens';
import type { Transaction } from './database';
import { userRef, type User } from './users';

const deviceOf = ({ email, userId, deviceEpoch = 0 }: User) => ({ email, userId, epoch: deviceEpoch });

/** The token of a device on which the user signs in. The service stores nothing for it. */
export const deviceTokenFor = (user: User, now: Date): string =>
  writeDeviceToken(serviceSecrets.current(), deviceOf(user), now);

/** Whether the user has signed in on the device with this token, and its devices were not forgotten since. */
export const isDeviceOf = (user: User | undefined, token: string | null | undefined, now: Date): boolean =>
  Boolean(user && token) && isDeviceToken(serviceSecrets.accepted(), token!, deviceOf(user!), now);

/** Makes all tokens of the user's devices useless. Whatever signs a user out everywhere calls it. */
export function forgetDevices(tx: Transaction, user: User): void {
  tx.update(userRef(user.userId), { deviceEpoch: (user.deviceEpoch ?? 0) + 1 });
}
