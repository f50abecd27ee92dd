import type { z } from 'zod';
import { example } from './example';
import { always, eitherOf, presentationId, sessionId } from './fields';

/** The two fields of which one names the deck that files are for. */
export const targetFields = {
  presentationId: presentationId
    .nullish()
    .meta({ description: 'Id of an existing deck. Send either this or `sessionId`.', example: example.deckId }),
  sessionId: sessionId.nullish().meta({
    description: 'Id of the upload session of a new deck. Send either this or `presentationId`.',
    example: example.sessionId,
  }),
};

export type TargetFields = { [K in keyof typeof targetFields]?: z.output<(typeof targetFields)[K]> };

/** Whether one of the two was sent, and not both. Goes into `refine` with `oneTarget`. */
export const hasOneTarget = (input: TargetFields): boolean =>
  Boolean(input.presentationId) !== Boolean(input.sessionId);
export const oneTarget = { ...always, path: ['presentationId'], error: 'Send either presentationId or sessionId.' };

/** Documents `oneTarget`. */
export const oneTargetMeta = eitherOf('presentationId', 'sessionId');

/** The documented schema of a part of a form that holds the bytes of a file. */
export const FILE_PART = { type: 'string', contentMediaType: 'application/octet-stream' };

/** Documents that a form has parts with names of a pattern, which arrive as the one array `field`. */
export const partsNamed = (field: string, pattern: string, part: object) => ({
  override({ jsonSchema }: { jsonSchema: { properties?: Record<string, unknown>; required?: string[] } }) {
    delete jsonSchema.properties?.[field];
    Object.assign(jsonSchema, {
      required: jsonSchema.required?.filter((name) => name !== field),
      patternProperties: { [pattern]: part },
    });
  },
});
