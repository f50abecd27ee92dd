import { randomUUID } from 'node:crypto';
import { outcomes } from './answers';
import { succeed, type Account, type Answered, world } from './world';

/** The calls of a sign-in with the tokens of its request and of its device. Each comes from a network of its own. */

export interface Asked {
  email: string;
  expiresInSeconds: number;
  requestToken: string;
}
interface SignedIn {
  apiKey: { raw: string };
  deviceToken: string;
}
/** The network of the client, and its browser. */
interface From {
  network?: string;
  userAgent?: string;
}

const headersOf = ({ network = randomUUID(), userAgent = 'test' }: From) => ({
  headers: { 'x-forwarded-for': network, 'user-agent': userAgent },
});

export const requestCode = (email: string, deviceToken?: string, from: From = {}) =>
  world.call<Asked>('cliRequestLoginOtp', { email, deviceToken }, headersOf(from));

export const requestSignupCode = (email: string, deviceToken?: string) =>
  world.call<Asked>('cliRequestSignupOtp', { email, deviceToken }, headersOf({}));

export const logIn = (email: string, code: string, requestToken?: string, from: From = {}) =>
  world.call<SignedIn>('cliCompleteLogin', { email, code, requestToken }, headersOf(from));

export type Answers = Pick<Answered<unknown>, 'body'>[];

/** How many guesses the service compared with a code. */
export const compared = (answers: Answers) => {
  const { OTP_INVALID = 0, OTP_LOCKED_OUT = 0 } = outcomes(answers);
  return OTP_INVALID + OTP_LOCKED_OUT;
};

/** Six digits that are not the code. */
export const wrong = (code: string): string => (code === '000000' ? '000001' : '000000');

/** A code that was just mailed, and the token of its request. */
export async function aCode(
  email: string,
  deviceToken?: string,
  from: From = {},
): Promise<[code: string, token: string]> {
  const { requestToken } = await succeed(requestCode(email, deviceToken, from));
  return [await world.mailedCode(email), requestToken];
}

/** An account whose owner has signed in on a device. */
export async function aKnownDevice(): Promise<Account & { deviceToken: string }> {
  const owner = await world.anOwner();
  const [code, requestToken] = await aCode(owner.email);
  const { deviceToken } = await succeed(logIn(owner.email, code, requestToken));
  return { ...owner, deviceToken };
}
