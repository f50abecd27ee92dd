import { detailsOf, fail, locationOf, type Problem } from '../errors';

/** The deepest nesting of a JSON body. The outermost object is level 1. */
const MAX_DEPTH = 64;

/**
 * The most values (members of objects and elements of arrays) in a JSON body. A manifest of 10 000 files has 50 000.
 */
const MAX_VALUES = 250_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Parses a JSON object in UTF-8; a byte order mark is dropped. Throws invalid-argument for other bytes, for more than
 * 64 levels or 250 000 values, and for text that is not valid Unicode. The levels and values are counted before the
 * parser makes an object of each.
 */
export function parseObject(bytes: Buffer): object {
  assertBounded(bytes);
  const body = parse(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return failBody(NOT_AN_OBJECT);
  assertUnicode(body);
  return body;
}

const NOT_AN_OBJECT = 'The body must be a JSON object in UTF-8.';

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    return failBody(NOT_AN_OBJECT, cause);
  }
}

/** The bytes of JSON's punctuation never occur inside of a longer UTF-8 sequence. */
function assertBounded(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (byte === COMMA) values++;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      values++;
      if (++depth > MAX_DEPTH) failBody(`The body may be nested at most ${MAX_DEPTH} levels deep.`);
    }
    if (values > MAX_VALUES) failBody(`The body may have at most ${MAX_VALUES} values.`);
  }
}

/** The index of the quote that ends the string which begins at `start`, or of the last byte. */
function endOfString(bytes: Buffer, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(QUOTE, end + 1);
    if (end < 0) return bytes.length;
  } while (isEscaped(bytes, end, start));
  return end;
}

/** Whether an odd number of backslashes stands before the byte. */
function isEscaped(bytes: Buffer, index: number, start: number): boolean {
  let before = index;
  while (before - 1 > start && bytes[before - 1] === BACKSLASH) before--;
  return (index - before) % 2 === 1;
}

/**
 * Throws invalid-argument when a string holds half of a surrogate pair, which a JSON escape can spell. The database
 * would store other characters than the caller sent. The recursion is at most 64 levels deep.
 */
function assertUnicode(body: object): void {
  const problems: Problem[] = [];
  const path: (string | number)[] = [];
  const check = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!value.isWellFormed())
        problems.push({ location: locationOf('body', path), message: 'This text is not valid Unicode.' });
    } else if (Array.isArray(value)) value.forEach((each, i) => checkAt(i, each));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) checkAt(name, each);
    }
  };
  const checkAt = (name: string | number, value: unknown) => {
    path.push(name);
    check(value);
    path.pop();
  };
  check(body);
  if (problems.length > 0) fail('invalid-argument', detailsOf(problems));
}

function failBody(message: string, cause?: unknown): never {
  return fail('invalid-argument', { errors: [{ location: 'body', message }] }, { cause });
}
