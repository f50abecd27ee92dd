import { z } from 'zod';
import { OPERAND } from '../command-form';
import { deck, link, tool, version } from '../tool';

const expires = z.string().describe('A date (2031-01-31), an ISO 8601 time, a duration (7d), or never');

export const linkTools = {
  list_links: tool({
    description: 'Lists the share links of a deck: name, version, views, last opening, state. Only for the owner.',
    input: { deck, revoked: z.boolean().optional().describe('Also list revoked links') },
    hints: { isReadOnly: true },
    command: { path: 'links', takes: { deck: OPERAND, revoked: 'all' } },
  }),

  add_link: tool({
    description:
      'Makes another share link, with its own name and view counter. Give each viewer a link of their own: it can be ' +
      'revoked alone.',
    input: {
      deck,
      name: z.string().min(1).describe('For whom the link is, such as "Board meeting"'),
      version: version.optional().describe('The version that the link always opens. Default: the latest one'),
      expires: expires.optional(),
      short: z.boolean().optional().describe('Also a short address'),
    },
    hints: { isAdditive: true },
    command: {
      path: 'links add',
      takes: { deck: 'deck', name: OPERAND, version: 'pin', expires: 'expires', short: 'short' },
    },
  }),

  pin_link: tool({
    description: 'Makes a share link stay on a version, whatever is pushed later.',
    input: { deck, link, version },
    hints: { isIdempotent: true },
    command: { path: 'links pin', takes: { deck: 'deck', link: OPERAND, version: OPERAND } },
  }),

  follow_link: tool({
    description: 'Makes a share link open the latest version again.',
    input: { deck, link },
    hints: { isIdempotent: true },
    command: { path: 'links follow', takes: { deck: 'deck', link: OPERAND } },
  }),

  set_link: tool({
    description: 'Changes the name, expiry or short address of a share link.',
    input: {
      deck,
      link,
      name: z.string().min(1).optional(),
      expires: expires.optional(),
      short: z.boolean().optional().describe('false takes the short address away for ever'),
    },
    hints: { isIdempotent: true },
    command: {
      path: 'links set',
      takes: {
        deck: 'deck',
        link: OPERAND,
        name: 'name',
        expires: 'expires',
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
      'Mails a share link to at most 20 addresses. Each recipient gets a new link of their own, or all get `link`. The ' +
      'mails are sent at once and cannot be taken back: ask the user first.',
    input: {
      deck,
      addresses: z.array(z.string()).min(1).max(20),
      message: z.string().optional().describe('A message in the mail'),
      subject: z.string().optional(),
      link: link.optional(),
      expires: expires.optional(),
    },
    command: {
      path: 'email',
      takes: {
        deck: 'deck',
        addresses: OPERAND,
        message: 'message',
        subject: 'subject',
        link: 'link',
        expires: 'expires',
      },
    },
  }),

  list_mails: tool({
    description: 'Lists the mails that were sent for a deck, newest first, with the views of their links.',
    input: {
      deck,
      limit: z.int().min(1).max(100).optional(),
      cursor: z.string().optional().describe('nextCursor of an earlier answer'),
    },
    hints: { isReadOnly: true },
    command: { path: 'email', always: ['log'], takes: { deck: 'deck', limit: 'limit', cursor: 'cursor' } },
  }),

  set_expiry: tool({
    description: 'Sets the time from which no share link of the deck opens it, or removes that time.',
    input: {
      deck,
      when: expires,
    },
    hints: { isIdempotent: true },
    command: { path: 'expire', takes: { deck: 'deck', when: OPERAND } },
  }),
};
