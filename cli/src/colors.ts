import { createColors } from 'picocolors';

export type Colors = ReturnType<typeof createColors>;

/**
 * Whether a stream gets colours: a terminal does, and with FORCE_COLOR everything. NO_COLOR has precedence. The answer
 * is never undefined, as `isTTY` of a pipe is: the library would then decide by CI and FORCE_COLOR.
 */
export function hasColors({ isTTY }: { isTTY?: boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return isTTY === true && TERM !== 'dumb';
}

export const noColors: Colors = createColors(false);
export const colorsOf = (stream: { isTTY?: boolean }): Colors => createColors(hasColors(stream));
