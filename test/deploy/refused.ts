export class Refused extends Error {
  constructor(
    message: string,
    /** Whether the call changed something before it failed. */
    readonly tookEffect = false,
  ) {
    super(message);
  }
}

export function need(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Refused(otherwise);
}

/** The options of a command line, by their names without hyphens. */
export type Options = Record<string, string>;
