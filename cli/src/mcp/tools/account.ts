import { z } from 'zod';
import type { CommandForm } from '../command-form';
import { failure, isFailure } from '../failure';
import { tool, type ToolClient } from '../tool';

/** Where this process had the last code sent. Only this address can be signed in. */
let requested: { purpose: 'signup' | 'login'; email: string; publish: boolean | undefined } | undefined;

const requests: CommandForm[] = [
  { path: 'signup', takes: { email: 'email' }, implies: { purpose: 'signup' } },
  { path: 'login', takes: { email: 'email', publish: 'publish' }, implies: { purpose: 'login' } },
];

/** They are those of the request. */
const ignores = ['email', 'publish'];
const completions: CommandForm[] = [
  {
    path: 'signup',
    takes: { code: 'code', firstName: 'first-name', lastName: 'last-name', company: 'company' },
    ignores,
  },
  { path: 'login', takes: { code: 'code', revoke: 'revoke' }, ignores },
];

export const accountTools = {
  request_sign_in_code: tool({
    description: 'Mails a six-digit code to the user, for complete_sign_in. Take the address from the user only.',
    input: {
      purpose: z.enum(['signup', 'login']).describe('signup makes an account'),
      email: z.string().describe("The user's email address"),
      publish: z.boolean().optional().describe('For login: get a key that may publish to the marketplace'),
    },
    needsComputer: true,
    hints: { isAdditive: true },
    command: requests,
    async run({ purpose, email, publish }, run) {
      if (purpose === 'signup' && publish)
        throw failure('publish is for a login.', {
          code: 'usage',
          nextAction: 'Sign up without it. After that, a login with publish: true gets a key that may publish.',
        });
      const sent = await run([purpose], { options: { email, publish } }).catch((error: unknown) => {
        // The code that was sent a moment ago is still good.
        if (isFailure(error, 'OTP_RESEND_COOLDOWN')) requested = { purpose, email, publish };
        throw error;
      });
      requested = { purpose, email, publish };
      const { next: _command, ...answer } = sent;
      return { ...answer, nextAction: 'Ask the user for the code in the mail, then call complete_sign_in.' };
    },
  }),

  complete_sign_in: tool({
    description:
      'Exchanges the mailed code for a key, stores it in the config folder of the user, and revokes the one that was ' +
      'there. To replace the key of another account needs confirm.',
    input: {
      code: z.string().regex(/^\d{6}$/, 'A code has six digits.'),
      firstName: z.string().optional().describe('Required for signup'),
      lastName: z.string().optional().describe('For signup'),
      company: z.string().optional().describe("For signup. Default: <first name>'s workspace"),
      revoke: z
        .string()
        .optional()
        .describe('For login with 20 keys: the prefix of one to revoke first. Ask the user.'),
      confirm: z.literal(true).optional().describe('The user has agreed to replace the other account'),
    },
    needsComputer: true,
    command: completions,
    async run({ firstName, lastName, confirm, ...options }, run, client) {
      if (!requested)
        throw failure('No code was requested.', {
          code: 'no-code-requested',
          nextAction: 'Ask the user for an email address, and call request_sign_in_code.',
        });
      const { purpose, email, publish } = requested;
      if (purpose === 'signup' && options.revoke !== undefined)
        throw failure('revoke is for a login, and this code is for a sign-up.', {
          code: 'usage',
          nextAction: 'Repeat the call without it.',
        });
      if (!confirm) await refuseOtherAccount(email, client);
      const answer = await run([purpose], {
        options: { ...options, email, publish, 'first-name': firstName, 'last-name': lastName },
      });
      requested = undefined;
      return answer;
    },
  }),

  whoami: tool({
    description: 'Shows the service, the organization, and the scopes and expiry of the key in use.',
    input: {},
    hints: { isReadOnly: true },
    command: { path: 'whoami', takes: {} },
  }),

  account: tool({
    description: 'Shows the user, and the name, tone, colours and logo of the organization.',
    input: {},
    hints: { isReadOnly: true },
    command: { path: 'account', takes: {} },
  }),

  usage: tool({
    description: "Shows how much of the plan's limits the organization uses.",
    input: {},
    hints: { isReadOnly: true },
    command: { path: 'usage', takes: {} },
  }),

  list_keys: tool({
    description: 'Lists the keys of the organization: prefix, name, scopes, last use, expiry.',
    input: { all: z.boolean().optional().describe('Also list revoked and expired keys') },
    hints: { isReadOnly: true },
    command: { path: 'keys', takes: { all: 'all' } },
  }),

  list_profiles: tool({
    description:
      'Lists the services and accounts of this computer. The user chooses one as `deck mcp --profile <name>`.',
    input: {},
    needsComputer: true,
    hints: { isReadOnly: true },
    command: { path: 'profiles', takes: {} },
  }),

  doctor: tool({
    description: 'Checks the service, the key, the clock, the versions and this computer. An error names what to do.',
    input: {},
    needsComputer: true,
    hints: { isReadOnly: true },
    command: { path: 'doctor', takes: {} },
  }),
};

/** Refuses to replace the key of another account. */
async function refuseOtherAccount(email: string, { resolveSignIn, address }: ToolClient): Promise<void> {
  const { key, baseUrl } = await resolveSignIn(address);
  if (!key || key.email.toLowerCase() === email.toLowerCase()) return;
  throw failure(`This computer is signed in to ${baseUrl} as ${key.email}, and ${email} would take its place.`, {
    code: 'not-confirmed',
    nextAction: `Ask the user whether ${email} may replace ${key.email}. If so, repeat the call with confirm: true.`,
  });
}
