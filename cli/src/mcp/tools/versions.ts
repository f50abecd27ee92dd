import { z } from 'zod';
import { deck, presentationId, rows, tool, version } from '../tool';

export const versionTools = {
  list_versions: tool({
    title: 'List versions',
    description: 'Lists the versions of a deck, the newest first: when, by whom, with which note, how large.',
    input: { deck },
    output: { presentationId, currentVersion: z.number(), versions: rows },
    hints: { isReadOnly: true },
    run: (input, run) => run(['versions'], { options: { all: true }, operands: [input.deck] }),
  }),

  diff_versions: tool({
    title: 'Compare versions',
    description: 'Tells which files were added, changed and removed between two versions of a deck.',
    input: { deck, from: version, to: version.optional().describe('Default: the current version') },
    output: { presentationId },
    hints: { isReadOnly: true },
    run: ({ deck: name, from, to }, run) =>
      run(['diff'], { options: { deck: name }, operands: [String(from), to === undefined ? undefined : String(to)] }),
  }),

  restore_version: tool({
    title: 'Restore a version',
    description: 'Makes a new version with the files of an old one. Nothing is lost: later versions stay in the list.',
    input: { deck, version },
    output: { status: z.enum(['restored', 'unchanged']), version: z.number() },
    run: (input, run) => run(['restore'], { options: { deck: input.deck }, operands: [String(input.version)] }),
  }),
};
