import { invalid, notModified, preconditionFailed } from './errors';

/** Conditions on the live generation; 0 stands for "no live object". */
export interface Preconditions {
  generationMatch?: number;
  generationNotMatch?: number;
  metagenerationMatch?: number;
  metagenerationNotMatch?: number;
}

interface Versioned {
  generation: number;
  metageneration: number;
}

/**
 * Reads `ifGenerationMatch` and the three related parameters. The prefix `ifSource` reads those for a copy's source.
 */
export function preconditionsOf(query: URLSearchParams, prefix: 'if' | 'ifSource' = 'if'): Preconditions {
  return {
    generationMatch: numberOf(query, `${prefix}GenerationMatch`),
    generationNotMatch: numberOf(query, `${prefix}GenerationNotMatch`),
    metagenerationMatch: numberOf(query, `${prefix}MetagenerationMatch`),
    metagenerationNotMatch: numberOf(query, `${prefix}MetagenerationNotMatch`),
  };
}

/** A non-negative integer of the query, `undefined` when absent. Throws 400. */
export function numberOf(query: URLSearchParams, parameter: string): number | undefined {
  const text = query.get(parameter);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,19}$/.test(text)) throw invalid(`Invalid value for ${parameter}: ${text}`);
  return Number(text);
}

/** Throws 412 when a condition does not hold for the live object, or 304 for the "not" conditions of a read. */
export function assertPreconditions(conditions: Preconditions, live: Versioned | undefined, reading = false): void {
  const { generationMatch, generationNotMatch, metagenerationMatch, metagenerationNotMatch } = conditions;
  const generation = live?.generation ?? 0;
  if (generationMatch !== undefined && generationMatch !== generation) throw preconditionFailed();
  if (metagenerationMatch !== undefined && metagenerationMatch !== live?.metageneration) throw preconditionFailed();
  if (
    (generationNotMatch !== undefined && generationNotMatch === generation) ||
    (metagenerationNotMatch !== undefined && metagenerationNotMatch === live?.metageneration)
  ) {
    throw reading ? notModified() : preconditionFailed();
  }
}
