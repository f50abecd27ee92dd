import { z } from 'zod';
import { tool } from '../tool';

const email = z.string().describe("The user's email address");
const purpose = z.enum(['signup', 'login']).describe('signup for a new account, login for an account that exists');

export const accountTools = {
  request_sign_in_code: tool({
    title: 'Request a sign-in code',
    description:
      'Mails a six-digit code to the user. There are no passwords. Ask the user for the code, then call complete_sign_in.',
    input: { purpose, email },
    output: { status: z.literal('code-sent'), expiresInSeconds: z.number() },
    async run(input, run) {
      const { next: _command, ...answer } = await run([input.purpose], { options: { email: input.email } });
      return { ...answer, nextAction: 'Ask the user for the code in the mail, then call complete_sign_in.' };
    },
  }),

  complete_sign_in: tool({
    title: 'Sign in with a code',
    description:
      'Exchanges the mailed code for a key, which is stored in the config folder of the user. A key that was stored ' +
      'there is revoked.',
    input: {
      ...{ purpose, email },
      code: z.string().regex(/^\d{6}$/, 'A code has six digits.'),
      firstName: z.string().optional().describe('Required for signup'),
      lastName: z.string().optional().describe('For signup'),
      company: z.string().optional().describe("For signup. Default: <first name>'s workspace"),
      publish: z.boolean().optional().describe('For login: get a key that may publish to the marketplace'),
    },
    output: { status: z.literal('signed-in'), email: z.string(), organizationName: z.string() },
    run: ({ purpose: command, firstName, lastName, ...options }, run) =>
      run([command], { options: { ...options, 'first-name': firstName, 'last-name': lastName } }),
  }),

  whoami: tool({
    title: 'Show the account',
    description: 'Shows the service, the organization, and the scopes and expiry of the key in use.',
    input: {},
    output: { baseUrl: z.string(), keyPrefix: z.string(), scopes: z.array(z.string()) },
    hints: { isReadOnly: true },
    run: (_input, run) => run(['whoami']),
  }),

  usage: tool({
    title: 'Show limits and usage',
    description: "Shows how much of the plan's limits the organization uses.",
    input: {},
    output: { plan: z.string() },
    hints: { isReadOnly: true },
    run: (_input, run) => run(['usage']),
  }),
};
