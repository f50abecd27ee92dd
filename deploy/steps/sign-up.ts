import { setTimeout as pause } from 'node:timers/promises';
import { StepFailure } from '../command';
import type { Deploy } from '../context';
import { operatorAddress } from '../operator-address';
import { callService, type Answer } from '../service';
import type { Step } from './step';

export const signUp: Step = {
  name: 'sign-up',
  about: 'a mail with a code reaches the operator, and the code works',
  async run(deploy) {
    if (deploy.isDryRun) return 'would send one mail';
    const email = await operatorAddress(deploy);
    if (!email) return 'not tested: add --operator you@example.org';

    const { isNew, requestToken } = await requestCode(deploy, email);
    const code = await deploy.around.ask?.(`The 6-digit code in the mail to ${email}: `);
    if (!code) return `a code is on its way to ${email}: look whether it arrives`;

    const complete = isNew
      ? await post<{ apiKey: { raw: string } }>(deploy, 'cliCompleteSignup', {
          email,
          code,
          requestToken,
          user: { firstName: email.split('@')[0]! },
        })
      : await post<{ apiKey: { raw: string } }>(deploy, 'cliCompleteLogin', { email, code, requestToken });
    // The key was for the test only. Without an answer it stays valid, and nobody has it.
    await callService(`${deploy.baseUrl}/revokeApiKey`, {
      body: {},
      headers: { authorization: `Bearer ${complete.apiKey.raw}` },
    });
    return `${email} ${isNew ? 'has an account now' : 'can log in'}; npx deckhost login --base-url ${deploy.baseUrl} makes a key for this machine`;
  },
};

interface Requested {
  requestToken: string;
}

/** How often a code is asked for: an address gets one code in 30 seconds, and a pause lasts 10 seconds. */
const CODE_TRIES = 5;

/** Sends a code. Answers whether the address is new, and the token of the request. */
async function requestCode(deploy: Deploy, email: string) {
  const asked = await askFor(deploy, 'cliRequestSignupOtp', email);
  if (asked.status === 200) return { isNew: true, requestToken: asked.data?.requestToken };
  if (asked.code !== 'USER_ALREADY_HAS_ORGANIZATION') throw refusal('cliRequestSignupOtp', asked);
  const again = await askFor(deploy, 'cliRequestLoginOtp', email);
  if (again.status === 200) return { isNew: false, requestToken: again.data?.requestToken };
  throw refusal('cliRequestLoginOtp', again);
}

/** Asks for a code, and waits when a code was sent to the address a moment ago. */
async function askFor(deploy: Deploy, name: string, email: string): Promise<Answer<Requested>> {
  for (let left = CODE_TRIES; ; left--) {
    const answer = await callService<Requested>(`${deploy.baseUrl}/${name}`, { body: { email } });
    if (answer.code !== 'OTP_RESEND_COOLDOWN' || left <= 1) return answer;
    if (left === CODE_TRIES) deploy.around.print(`… a code was sent to ${email} a moment ago: waiting to send another`);
    await pause(deploy.around.pauseMs);
  }
}

async function post<T>(deploy: Deploy, name: string, body: object): Promise<T> {
  const answer = await callService<T>(`${deploy.baseUrl}/${name}`, { body });
  if (answer.status === 200 && answer.data !== undefined) return answer.data;
  throw refusal(name, answer);
}

function refusal(name: string, { status, code, text }: Answer<unknown>): StepFailure {
  return new StepFailure(
    `${name} answers ${status}.\n\n  ${text.slice(0, 500)}`,
    status === 429 || code === 'OTP_LOCKED_OUT'
      ? 'The address or this network asked for too many codes. Wait as long as the answer says, then add --only sign-up.'
      : 'When the mail provider refuses, check the Resend key, and that Resend has verified the domain of MAIL_FROM.',
  );
}
