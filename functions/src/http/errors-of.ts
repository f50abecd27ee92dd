import { z } from 'zod';
import type { ErrorCode } from '../errors';
import type { CallerRule, EndpointDefinition, RawEndpointDefinition } from './definition';

type Definition = EndpointDefinition | RawEndpointDefinition;

/**
 * Every error code that an endpoint can answer: the codes that its definition declares and those of the pipeline. The
 * API reference shows these codes. The tests refuse any other code.
 */
export function errorsOf(definition: Definition): ErrorCode[] {
  return [...new Set<ErrorCode>([...codesOfPipeline(definition), ...definition.errors])];
}

/** Whether the pipeline refuses a caller without a key or session. */
export const needsKey = (caller: CallerRule): boolean => caller !== 'anyone' && caller !== 'optional-key';

/**
 * Whether the endpoint answers in the envelope. A raw endpoint reads its input itself and declares the codes for it.
 */
export const isInEnvelope = (definition: Definition): definition is EndpointDefinition => 'answer' in definition;

/** Whether the input has fields. */
export const hasFields = ({ input }: Definition): boolean =>
  input !== undefined && (!(input instanceof z.ZodObject) || Object.keys(input.shape).length > 0);

function codesOfPipeline(definition: Definition): ErrorCode[] {
  const hasBody = [definition.method].flat().includes('POST') && hasFields(definition);
  return [
    'method-not-allowed',
    ...(needsKey(definition.caller) ? (['unauthenticated', 'permission-denied'] as const) : []),
    ...(hasBody ? (['payload-too-large'] as const) : []),
    ...(isInEnvelope(definition) ? codesOfInput(definition) : []),
    // The one-time-code flow spells its codes in upper case.
    ...(definition.errors.includes('INTERNAL') ? [] : (['internal'] as const)),
  ];
}

function codesOfInput(definition: EndpointDefinition): ErrorCode[] {
  return [
    ...(hasFields(definition) ? (['invalid-argument'] as const) : []),
    // A path with a malformed percent-encoding or with more segments than the endpoint has is not-found.
    'not-found',
    // The Idempotency-Key may belong to a call with another body.
    ...(definition.isIdempotent ? (['conflict'] as const) : []),
  ];
}
