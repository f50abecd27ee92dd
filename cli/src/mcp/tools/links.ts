import { z } from 'zod';
import { OPERAND, wordsOf, type CommandForm } from '../command-form';
import { deck, link, tool, version } from '../tool';

const expires = z.string();
const describedExpires = expires.describe('2031-01-31, an ISO 8601 time, 7d, or never');

/** The rules of links. add_link describes them. */
const rules = {
  expires: expires.optional(),
  passcode: z.string().optional(),
  maxOpenings: z.int().min(1).optional(),
  allow: z.array(z.string()).optional(),
  notify: z.enum(['first', 'never']).optional(),
};
const takesOfRules = {
  expires: 'expires',
  passcode: 'passcode',
  maxOpenings: 'max-openings',
  allow: 'allow',
  notify: 'notify',
};

const follow: CommandForm = { path: 'links follow', takes: { deck: 'deck', link: OPERAND } };
const pin: CommandForm = { path: 'links pin', takes: { ...follow.takes, version: OPERAND } };

export const linkTools = {
  list_links: tool({
    description: 'Lists the share links of a deck: name, version, views, rules, state. Only for the owner.',
    input: {
      deck,
      revoked: z.boolean().optional().describe('Also list revoked links'),
      allowed: z.boolean().optional().describe('Also list who may open them'),
    },
    hints: { isReadOnly: true },
    command: { path: 'links', takes: { deck: OPERAND, revoked: 'all', allowed: 'allowed' } },
  }),

  add_link: tool({
    description:
      'Makes another share link. Give each viewer a link of their own: it has its own views, and can be revoked alone.',
    input: {
      deck,
      name: z.string().min(1).describe('For whom the link is, such as "Board meeting"'),
      version: version.optional().describe('The version that the link always opens. Default: the latest one'),
      ...rules,
      expires: describedExpires.optional(),
      passcode: rules.passcode.describe('6 to 64 characters that readers must know'),
      allow: rules.allow.describe('The only addresses and @domains that may open it'),
      notify: rules.notify.describe('first: mail the owner at the first view'),
      short: z.boolean().optional().describe('Also a short address'),
    },
    hints: { isAdditive: true },
    command: {
      path: 'links add',
      takes: { deck: 'deck', name: OPERAND, version: 'pin', ...takesOfRules, short: 'short' },
    },
  }),

  pin_link: tool({
    description:
      'Makes a share link stay on a version, whatever is pushed later. Without `version` it opens the latest.',
    input: { deck, link, version: version.optional() },
    hints: { isIdempotent: true },
    command: [pin, follow],
    run(input, run) {
      const form = input.version === undefined ? follow : pin;
      return run(form.path.split(' '), wordsOf(form, input));
    },
  }),

  set_link: tool({
    description:
      'Changes the name and the rules of a share link. A passcode or maxOpenings of "none" and allow of ["none"] end it.',
    input: {
      deck,
      link,
      name: z.string().min(1).optional(),
      ...rules,
      maxOpenings: z.union([z.int().min(1), z.literal('none')]).optional(),
      short: z.boolean().optional().describe('false takes the short address away for ever'),
    },
    hints: { isIdempotent: true },
    command: {
      path: 'links set',
      takes: {
        deck: 'deck',
        link: OPERAND,
        name: 'name',
        ...takesOfRules,
        short: { true: 'short', false: 'no-short' },
      },
    },
  }),

  revoke_link: tool({
    description: 'Revokes one share link for ever. The other links of the deck keep working.',
    input: { deck, link },
    hints: { isIdempotent: true },
    command: { path: 'links revoke', takes: { deck: 'deck', link: OPERAND } },
  }),

  revoke_all_links: tool({
    description: 'Revokes every share link of a deck for ever: nobody but its editors can open it. Ask the user first.',
    input: { deck, confirm: z.literal(true).describe('The user has agreed that every link stops working') },
    hints: { isIdempotent: true },
    command: { path: 'links revoke', always: ['all', 'yes'], takes: { deck: 'deck' } },
  }),

  email_deck: tool({
    description:
      'Mails a share link to at most 20 addresses: each gets a new link of their own, or all get `link`. Ask the user first.',
    input: {
      deck,
      addresses: z.array(z.string()).min(1).max(20),
      message: z.string().optional(),
      subject: z.string().optional(),
      link: link.optional(),
      ...rules,
      requireEmail: z.boolean().optional().describe('Each new link opens for its recipient alone'),
    },
    command: {
      path: 'email',
      takes: {
        deck: 'deck',
        addresses: OPERAND,
        message: 'message',
        subject: 'subject',
        link: 'link',
        ...takesOfRules,
        requireEmail: 'require-email',
      },
    },
  }),

  list_mails: tool({
    description: 'Lists the mails that were sent for a deck, newest first, and how far their readers came.',
    input: {
      deck,
      limit: z.int().min(1).max(100).optional(),
      cursor: z.string().optional().describe('nextCursor of an answer'),
    },
    hints: { isReadOnly: true },
    command: { path: 'email', always: ['log'], takes: { deck: 'deck', limit: 'limit', cursor: 'cursor' } },
  }),

  set_expiry: tool({
    description: 'Sets the time from which no share link of the deck opens it, or removes that time.',
    input: {
      deck,
      when: describedExpires,
    },
    hints: { isIdempotent: true },
    command: { path: 'expire', takes: { deck: 'deck', when: OPERAND } },
  }),
};
