import { StepFailure } from '../command';
import type { Deploy } from '../context';
import { callService } from '../service';
import type { Step } from './step';

export const signUp: Step = {
  name: 'sign-up',
  about: 'a mail with a code reaches the operator, and the code works',
  async run(deploy) {
    if (deploy.isDryRun) return 'would send one mail';
    const email =
      deploy.options.operator ??
      deploy.around.env['OPERATOR_EMAIL'] ??
      (await deploy.around.ask?.('Your address, for a test mail (empty: no test): '));
    if (!email) return 'not tested: add --operator you@example.org';

    const isNew = await requestCode(deploy, email);
    const code = await deploy.around.ask?.(`The 6-digit code in the mail to ${email}: `);
    if (!code) return `a code is on its way to ${email}: look whether it arrives`;

    const complete = isNew
      ? await post<{ apiKey: { raw: string } }>(deploy, 'cliCompleteSignup', {
          email,
          code,
          user: { firstName: email.split('@')[0]! },
        })
      : await post<{ apiKey: { raw: string } }>(deploy, 'cliCompleteLogin', { email, code });
    // The key was for the test only. Without an answer it stays valid, and nobody has it.
    await callService(`${deploy.baseUrl}/revokeApiKey`, {
      body: {},
      headers: { authorization: `Bearer ${complete.apiKey.raw}` },
    });
    return `${email} ${isNew ? 'has an account now' : 'can log in'}; npx deck login makes a key for this machine`;
  },
};

/** Sends a code. Answers whether the address is new. */
async function requestCode(deploy: Deploy, email: string): Promise<boolean> {
  const asked = await callService(`${deploy.baseUrl}/cliRequestSignupOtp`, { body: { email } });
  if (asked.status === 200) return true;
  if (asked.code === 'USER_ALREADY_HAS_ORGANIZATION') {
    await post(deploy, 'cliRequestLoginOtp', { email });
    return false;
  }
  throw refusal('cliRequestSignupOtp', asked);
}

async function post<T>(deploy: Deploy, name: string, body: object): Promise<T> {
  const answer = await callService<T>(`${deploy.baseUrl}/${name}`, { body });
  if (answer.status === 200 && answer.data !== undefined) return answer.data;
  throw refusal(name, answer);
}

function refusal(name: string, { status, text }: { status: number; text: string }): StepFailure {
  return new StepFailure(
    `${name} answers ${status}.\n\n  ${text.slice(0, 500)}`,
    'When the mail provider refuses, check the Resend key, and that Resend has verified the domain of MAIL_FROM.',
  );
}
