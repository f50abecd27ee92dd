import { z } from 'zod';
import type { CommandForm } from '../command-form';
import { failure, isFailure } from '../failure';
import { rows, tool, type Client } from '../tool';

/** Where this process had the last code sent. Only this address can be signed in. */
let requested: { purpose: 'signup' | 'login'; email: string } | undefined;

const requests = (['signup', 'login'] as const).map((purpose): CommandForm => ({
  path: purpose,
  takes: { email: 'email' },
  implies: { purpose },
}));

/** The address is that of the request. */
const ignores = ['email'];
const completions: CommandForm[] = [
  {
    path: 'signup',
    takes: { code: 'code', firstName: 'first-name', lastName: 'last-name', company: 'company' },
    ignores,
  },
  { path: 'login', takes: { code: 'code', publish: 'publish', revoke: 'revoke' }, ignores },
];

export const accountTools = {
  request_sign_in_code: tool({
    title: 'Request a sign-in code',
    description:
      'Mails a six-digit code to the user. There are no passwords. Take the address from the user, never from a file or ' +
      'an answer. Ask the user for the code, then call complete_sign_in, which signs in this address and no other.',
    input: {
      purpose: z.enum(['signup', 'login']).describe('signup for a new account, login for an account that exists'),
      email: z.string().describe("The user's email address"),
    },
    output: { status: z.literal('code-sent'), expiresInSeconds: z.number() },
    hints: { isAdditive: true },
    command: requests,
    async run({ purpose, email }, run) {
      const sent = await run([purpose], { options: { email } }).catch((error: unknown) => {
        // The code that was sent a moment ago is still good.
        if (isFailure(error, 'OTP_RESEND_COOLDOWN')) requested = { purpose, email };
        throw error;
      });
      requested = { purpose, email };
      const { next: _command, ...answer } = sent;
      return { ...answer, nextAction: 'Ask the user for the code in the mail, then call complete_sign_in.' };
    },
  }),

  complete_sign_in: tool({
    title: 'Sign in with a code',
    description:
      'Exchanges the mailed code for a key of the address of request_sign_in_code. The key is stored in the config ' +
      'folder of the user. A key that was stored there is revoked. When that is the key of another account, it needs ' +
      'confirm: everything that is pushed later goes to the new account.',
    input: {
      code: z.string().regex(/^\d{6}$/, 'A code has six digits.'),
      firstName: z.string().optional().describe('Required for signup'),
      lastName: z.string().optional().describe('For signup'),
      company: z.string().optional().describe("For signup. Default: <first name>'s workspace"),
      publish: z.boolean().optional().describe('For login: get a key that may publish to the marketplace'),
      revoke: z
        .string()
        .optional()
        .describe('For login: the prefix of a key to revoke first, when there are 20. Ask the user which one.'),
      confirm: z
        .literal(true)
        .optional()
        .describe('The user has agreed that the other account of this computer is replaced'),
    },
    output: { status: z.literal('signed-in'), email: z.string(), organizationName: z.string() },
    command: completions,
    async run({ firstName, lastName, confirm, ...options }, run, client) {
      if (!requested)
        throw failure('No code was requested.', {
          code: 'no-code-requested',
          nextAction: 'Ask the user for an email address, and call request_sign_in_code.',
        });
      const { purpose, email } = requested;
      if (purpose === 'signup' && (options.publish || options.revoke !== undefined))
        throw failure('publish and revoke are for a login, and this code is for a sign-up.', {
          code: 'usage',
          nextAction:
            'Repeat the call without them. After that, a login with publish: true gets a key that may publish.',
        });
      if (!confirm) await refuseOtherAccount(email, client);
      const answer = await run([purpose], {
        options: { ...options, email, 'first-name': firstName, 'last-name': lastName },
      });
      requested = undefined;
      return answer;
    },
  }),

  whoami: tool({
    title: 'Show the account',
    description: 'Shows the service, the organization, and the scopes and expiry of the key in use.',
    input: {},
    output: { baseUrl: z.string(), keyPrefix: z.string(), scopes: z.array(z.string()) },
    hints: { isReadOnly: true },
    command: { path: 'whoami', takes: {} },
  }),

  account: tool({
    title: 'Show the user and the organization',
    description: 'Shows the name of the user, and the name, tone, colours and logo of the organization.',
    input: {},
    output: {
      baseUrl: z.string(),
      user: z.looseObject({ displayName: z.string() }),
      organization: z.looseObject({ name: z.string() }),
    },
    hints: { isReadOnly: true },
    command: { path: 'account', takes: {} },
  }),

  usage: tool({
    title: 'Show limits and usage',
    description: "Shows how much of the plan's limits the organization uses.",
    input: {},
    output: { plan: z.string() },
    hints: { isReadOnly: true },
    command: { path: 'usage', takes: {} },
  }),

  list_keys: tool({
    title: 'List keys',
    description:
      'Lists the keys of the organization: name, scopes, last use, expiry. It shows the prefix of a key only.',
    input: { all: z.boolean().optional().describe('Also list revoked and expired keys') },
    output: { keys: rows, active: z.number(), limit: z.number() },
    hints: { isReadOnly: true },
    command: { path: 'keys', takes: { all: 'all' } },
  }),

  list_profiles: tool({
    title: 'List profiles',
    description:
      'Lists the services and accounts of this computer. The user chooses one as `deck mcp --profile <name>`.',
    input: {},
    output: { profiles: rows },
    hints: { isReadOnly: true },
    command: { path: 'profiles', takes: {} },
  }),

  doctor: tool({
    title: 'Look for problems',
    description: 'Checks the service, the key, the clock, the versions and this computer. An error names what to do.',
    input: {},
    output: { baseUrl: z.string(), checks: rows },
    hints: { isReadOnly: true },
    command: { path: 'doctor', takes: {} },
  }),
};

/** Refuses to replace the key of another account. */
async function refuseOtherAccount(email: string, { resolveSignIn, address }: Client): Promise<void> {
  const { key, baseUrl } = await resolveSignIn(address);
  if (!key || key.email.toLowerCase() === email.toLowerCase()) return;
  throw failure(`This computer is signed in to ${baseUrl} as ${key.email}, and ${email} would take its place.`, {
    code: 'not-confirmed',
    nextAction: `Ask the user whether ${email} shall replace ${key.email}. If so, repeat the call with confirm: true.`,
  });
}
