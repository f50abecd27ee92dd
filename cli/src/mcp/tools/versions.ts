import { z } from 'zod';
import { OPERAND, wordsOf } from '../command-form';
import { failure } from '../failure';
import { deck, tool, version } from '../tool';

const LISTED = 20;
const diff = { path: 'diff', takes: { deck: 'deck', from: OPERAND, to: OPERAND } };

export const versionTools = {
  list_versions: tool({
    description: 'Lists the versions of a deck, the newest first: when, by whom, with which note, how large.',
    input: { deck, all: z.boolean().optional().describe(`List all versions, and not only the newest ${LISTED}`) },
    hints: { isReadOnly: true },
    command: { path: 'versions', takes: { deck: OPERAND, all: 'all' } },
    async run({ deck: name, all }, run) {
      const answer = await run(['versions'], { operands: [name] });
      const versions = answer['versions'] as object[];
      const listed = all ? versions : versions.slice(0, LISTED);
      return { ...answer, versions: listed, isComplete: listed.length === versions.length };
    },
  }),

  diff_versions: tool({
    description:
      'Shows which files were added, changed and removed between two versions of a deck, or, for a pushed folder without ' +
      '`from`, since the last push.',
    input: {
      deck,
      from: version.optional().describe('Default for an id: the version before the current one'),
      to: version.optional().describe('Default: the current version. Only with `from`'),
    },
    hints: { isReadOnly: true },
    command: diff,
    run(input, run) {
      if (input.from === undefined && input.to !== undefined)
        throw failure('`to` needs `from`.', { code: 'usage', nextAction: 'Name both versions, or neither.' });
      return run([diff.path], wordsOf(diff, input));
    },
  }),

  restore_version: tool({
    description: 'Makes a new version with the files of an old one. Later versions stay in the list.',
    input: { deck, version },
    command: { path: 'restore', takes: { deck: 'deck', version: OPERAND } },
  }),
};
