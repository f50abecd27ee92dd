import { z } from 'zod';
import { example } from './example';
import { always, eitherOf, optionalTitle } from './fields';
import { optionalText } from './human-text';
import { hasEntry, manifestFields } from './manifest-input';
import { hasOneTarget, oneTarget, targetFields } from './upload-fields';

/** The input of a commit: a new deck needs `sessionId` and `title`, an existing deck `presentationId`. */
export const commitInput = z
  .object({
    ...targetFields,
    title: optionalTitle.meta({
      description: 'Title of the deck. A new deck needs it. Without it, an existing deck keeps its title.',
      example: 'Quarterly results',
    }),
    ...manifestFields,
    expectedBaseVersion: z.int().positive().nullish().meta({
      description: 'Version that the caller believes to be current. When it is not, the call answers 409 `conflict`.',
      example: 5,
    }),
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'Commits even when `expectedBaseVersion` is not the current version.' }),
    message: optionalText({ max: 500, lines: true }).meta({
      description: 'Message of the commit, shown in the version.',
      example: 'New chart on slide 4',
    }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Answers the changes that a commit would make. The call writes nothing and does not check that the files ' +
          'were uploaded.',
      }),
  })
  .refine(hasOneTarget, oneTarget)
  .refine((input) => !input.sessionId || input.title, {
    ...always,
    path: ['title'],
    error: 'A new deck needs a title.',
  })
  .refine(hasEntry, {
    ...always,
    path: ['entryPath'],
    error: 'entryPath is not one of the files.',
  })
  .meta({
    ...eitherOf('presentationId', 'sessionId', 'title'),
    example: {
      sessionId: example.sessionId,
      title: 'Quarterly results',
      entryPath: 'index.html',
      files: [{ path: 'index.html', sha256: example.hash, size: 1834, contentType: 'text/html; charset=utf-8' }],
    },
  });
