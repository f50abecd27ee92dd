import type { z } from 'zod';
import { example } from './example';
import { always, eitherOf, presentationId, sessionId } from './fields';

/** The two fields that name the target of an upload. An input has exactly one of them. */
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

/** Whether the input has exactly one of the two fields. Pass it to `refine` together with `oneTarget`. */
export const hasOneTarget = (input: TargetFields): boolean =>
  Boolean(input.presentationId) !== Boolean(input.sessionId);
export const oneTarget = { ...always, path: ['presentationId'], error: 'Send either presentationId or sessionId.' };

/** Documents `oneTarget`. */
export const oneTargetMeta = eitherOf('presentationId', 'sessionId');

/** The documented schema of a part of a form that holds the bytes of a file. */
export const filePart = { type: 'string', contentMediaType: 'application/octet-stream' } as const;

/** Documents form parts whose names match a pattern. The endpoint gets them as `field`. */
export const partsNamed = (field: string, pattern: string, part: object) => ({
  override({ jsonSchema }: { jsonSchema: { properties?: Record<string, unknown>; required?: string[] } }) {
    delete jsonSchema.properties?.[field];
    Object.assign(jsonSchema, {
      required: jsonSchema.required?.filter((name) => name !== field),
      patternProperties: { [pattern]: part },
    });
  },
});
