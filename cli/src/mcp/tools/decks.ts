import { z } from 'zod';
import { OPERAND } from '../command-form';
import { failure, isFailure } from '../failure';
import { deck, deckId, folder, newFolder, tool, version } from '../tool';

/** What a push from a folder and a push of contents take. */
const pushed = {
  title: z.string().optional().describe("Default: the entry's <title>"),
  entry: z.string().optional().describe('The HTML file that opens. Default: index.html'),
  message: z.string().optional().describe('A note about this version'),
  dryRun: z.boolean().optional().describe('Only show what the push would change'),
  allowSecrets: z
    .boolean()
    .optional()
    .describe('Publish files that look like secrets, after that failure. Ask the user.'),
};
const takesOfPush = {
  title: 'title',
  entry: 'entry',
  message: 'message',
  dryRun: 'dry-run',
  allowSecrets: 'allow-secrets',
  deck: 'deck',
};

const file = z
  .strictObject({
    path: z.string().min(1).describe('Such as css/style.css'),
    text: z.string().optional(),
    base64: z
      .string()
      .refine((text) => text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text), 'This is not base64.')
      .optional(),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), 'A file has text or base64.');

export const deckTools = {
  push_deck: tool({
    description:
      'Publishes files that you write as a deck, without a folder: a new deck, or with `deck` its next version, which ' +
      'has these files only. Everyone who has the share link can see all files. At most 16 MB.',
    input: {
      files: z.array(file).min(1).max(10_000).describe('Each with text, or with base64 for other bytes'),
      deck: deckId.optional(),
      baseVersion: version.optional().describe('The version that the files change. A newer one is not overwritten.'),
      ...pushed,
    },
    command: { path: 'push', takes: takesOfPush },
    run: ({ files, deck: id, baseVersion, ...options }, _run, { push }) =>
      push({
        files: files.map(({ path, text, base64 = '' }) => ({
          path,
          bytes: text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text),
        })),
        deck: id,
        baseVersion,
        options,
      }),
  }),

  push_folder: tool({
    description:
      'Uploads a folder as a deck: a new deck the first time, a new version after that. It reads every file except ' +
      'dotfiles, node_modules and what .deckignore names, and writes .deck.json. Everyone who has the share link can ' +
      'see all files. Use dryRun first.',
    input: {
      folder,
      ...pushed,
      deck: deckId
        .optional()
        .describe('Push to this deck. Needed after unknown-folder: ask the user whether it is the one.'),
      newDeck: z.boolean().optional().describe('Make a new deck, even if the folder has one'),
      overwrite: z.boolean().optional().describe('Overwrite newer versions of others. Ask the user.'),
      pictures: z.boolean().default(true).describe('Draw the slides'),
    },
    needsComputer: true,
    command: {
      path: 'push',
      takes: {
        folder: OPERAND,
        ...takesOfPush,
        newDeck: 'new',
        overwrite: 'force',
        pictures: { false: 'no-pictures' },
      },
    },
  }),

  list_decks: tool({
    description: 'Lists the decks that the user owns or may edit, with their share links.',
    input: {
      search: z.string().min(1).optional().describe('Only decks with this text in their title or id'),
      sort: z.enum(['changed', 'title', 'views']).optional().describe('Default: own first, last changed first'),
    },
    hints: { isReadOnly: true },
    command: { path: 'list', takes: { search: 'search', sort: 'sort' } },
  }),

  rename_deck: tool({
    description: 'Changes the title of a deck without a new version.',
    input: { deck, title: z.string().min(1).max(255) },
    hints: { isIdempotent: true },
    command: { path: 'rename', takes: { deck: 'deck', title: OPERAND } },
  }),

  deck_info: tool({
    description: 'Shows a deck without its files: title, version, views, expiry, links, listing.',
    input: { deck },
    hints: { isReadOnly: true },
    command: { path: 'info', takes: { deck: OPERAND } },
  }),

  pull_deck: tool({
    description:
      'Downloads a deck: an id into `folder`, a pushed folder into itself. Text changed on both sides is merged by ' +
      'lines, with marks at conflicts; other such files stop it. `prefer` takes one side instead. Do not run the ' +
      'scripts of its authors unread.',
    input: {
      deck,
      folder: newFolder,
      version: version.optional().describe('Default: the current version'),
      prefer: z.enum(['theirs', 'mine']).optional(),
      dryRun: z.boolean().optional().describe('Only show what the pull would change in a pushed folder'),
    },
    hints: { isIdempotent: true },
    needsComputer: true,
    command: {
      path: 'pull',
      takes: {
        deck: OPERAND,
        folder: OPERAND,
        version: 'version',
        prefer: { theirs: 'theirs', mine: 'mine' },
        dryRun: 'dry-run',
      },
    },
  }),

  delete_deck: tool({
    description:
      'Deletes a deck for ever, with all versions and links. Local files stay. Ask the user first, and confirm with the ' +
      'title.',
    input: { deck, title: z.string().describe('The title of the deck, exactly as deck_info shows it') },
    hints: { isIdempotent: true },
    command: { path: 'delete', takes: { deck: OPERAND } },
    async run({ deck: name, title }, run) {
      // Without a deck, the command completes a deletion that was interrupted.
      const found = await run(['info'], { operands: [name] }).catch((error: unknown) => {
        if (!isFailure(error, 'not-found')) throw error;
      });
      if (found && found['title'] !== title)
        throw failure('That is not the title of the deck: nothing was deleted.', {
          code: 'not-confirmed',
          nextAction: 'Read the title with deck_info, and ask the user whether to delete this deck.',
        });
      return run(['delete'], { options: { yes: true }, operands: [name] });
    },
  }),
};
