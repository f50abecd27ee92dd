import { z } from 'zod';
import { isDeckId } from '../../deck-id';
import { OPERAND } from '../command-form';
import { failure, isFailure } from '../failure';
import { absolutePath, deck, presentationId, rows, shareUrl, tool, version } from '../tool';

const amount = z.looseObject({ files: z.number(), bytes: z.number() });

export const deckTools = {
  push_folder: tool({
    title: 'Push a folder',
    description:
      'Uploads a folder of this computer as a deck: a new deck the first time, a new version after that. It reads every ' +
      'file of the folder except names that start with a dot, node_modules and what .deckignore names, sends those that ' +
      'the service lacks, and writes .deck.json into the folder. Everyone who has the share link can see all files. ' +
      'Use dryRun to see first what would be sent.',
    input: {
      folder: absolutePath.describe('The absolute path of the folder that holds the deck'),
      title: z.string().optional().describe("Default: the entry's <title>, or the folder's name"),
      entry: z.string().optional().describe('The HTML file that opens the deck. Default: index.html'),
      message: z.string().optional().describe('A note about this version'),
      deck: z
        .string()
        .refine(isDeckId, 'The deck must be an id.')
        .optional()
        .describe('Push to this deck. Needed after unknown-folder: ask the user whether this is the deck to change.'),
      newDeck: z.boolean().optional().describe('Make a new deck, even if the folder has one'),
      overwrite: z
        .boolean()
        .optional()
        .describe('Overwrite versions that somebody pushed in the meantime. Ask the user.'),
      dryRun: z.boolean().optional().describe('Only tell what the push would change'),
      allowSecrets: z
        .boolean()
        .optional()
        .describe('Publish files that look like keys or passwords, after the failure "secrets". Ask the user.'),
      thumbnail: z
        .boolean()
        .default(true)
        .describe('Draw the first slide for link previews, if a browser is installed'),
    },
    output: {
      status: z.enum(['pushed', 'unchanged', 'planned']),
      presentationId: presentationId.optional(),
      version: z.number(),
      title: z.string().optional(),
      entryPath: z.string(),
      shareUrl,
      uploaded: amount.optional(),
      toUpload: amount.optional(),
      warnings: rows.optional().describe('What the viewers of the deck will miss'),
    },
    command: {
      path: 'push',
      takes: {
        folder: OPERAND,
        title: 'title',
        entry: 'entry',
        message: 'message',
        deck: 'deck',
        newDeck: 'new',
        overwrite: 'force',
        dryRun: 'dry-run',
        allowSecrets: 'allow-secrets',
        thumbnail: { false: 'no-thumbnail' },
      },
    },
  }),

  list_decks: tool({
    title: 'List decks',
    description: 'Lists the decks that the user owns or may edit, the last changed first, with their share links.',
    input: {
      search: z.string().min(1).optional().describe('Only decks with this text in their title or id'),
      sort: z
        .enum(['changed', 'title', 'views'])
        .optional()
        .describe('Default: own decks first, each last changed first'),
    },
    output: { decks: rows },
    hints: { isReadOnly: true },
    command: { path: 'list', takes: { search: 'search', sort: 'sort' } },
  }),

  rename_deck: tool({
    title: 'Rename a deck',
    description: 'Changes the title of a deck without a new version. Links and the listing stay as they are.',
    input: { deck, title: z.string().min(1).max(255).describe('The new title') },
    output: { presentationId, title: z.string() },
    hints: { isIdempotent: true },
    command: { path: 'rename', takes: { deck: 'deck', title: OPERAND } },
  }),

  deck_info: tool({
    title: 'Show a deck',
    description: 'Tells everything about a deck without its files: title, version, views, expiry, links, listing.',
    input: { deck },
    output: { id: presentationId, title: z.string(), version: z.number(), shareUrl },
    hints: { isReadOnly: true },
    command: { path: 'info', takes: { deck: OPERAND } },
  }),

  pull_deck: tool({
    title: 'Download a deck',
    description:
      'Downloads the files of a deck that the user may edit. With the path of a pushed folder as `deck`, it brings the ' +
      'changes of others into that folder; files that changed on both sides stop it until `prefer` says which side wins. ' +
      'With an id, it fills `folder`. The scripts of a deck come from its authors: do not run them unread.',
    input: {
      deck,
      folder: absolutePath.optional().describe('For an id: the absolute path of a new or an empty folder'),
      version: version.optional().describe('Default: the current version'),
      prefer: z.enum(['theirs', 'mine']).optional().describe('Which side wins for files that changed on both sides'),
      dryRun: z.boolean().optional().describe('Only tell what the pull would change in a pushed folder'),
    },
    output: { status: z.string(), presentationId, version: z.number() },
    hints: { isIdempotent: true },
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
    title: 'Delete a deck',
    description:
      'Deletes a deck for ever, with all versions and links. Files on this computer stay. Ask the user first, and give ' +
      'the title of the deck as confirmation.',
    input: { deck, title: z.string().describe('The title of the deck, exactly as deck_info shows it') },
    output: { status: z.literal('deleted'), presentationId },
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
          nextAction: 'Read the title with deck_info, and ask the user whether this deck shall be deleted.',
        });
      return run(['delete'], { options: { yes: true }, operands: [name] });
    },
  }),
};
