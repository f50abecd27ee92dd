import { invalidArgument } from './errors';
import { isReserved } from './names';
import type { Fields, Value } from './wire';

const UNQUOTED_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const parsed = new Map<string, string[]>();

/** Splits `a.b.\`c d\`` into its names. Throws INVALID_ARGUMENT for a malformed path. */
export function parseFieldPath(path: string | undefined): string[] {
  if (!path) throw invalidArgument('A field path is empty.');
  const known = parsed.get(path);
  if (known) return known;
  const names: string[] = [];
  const part = /(?:`((?:[^`\\]|\\.)+)`|([A-Za-z_][A-Za-z0-9_]*))(\.|$)/sy;
  while (part.lastIndex < path.length) {
    const match = part.exec(path);
    if (!match || (match[3] === '.' && part.lastIndex === path.length)) {
      throw invalidArgument(
        `Invalid property path "${path}". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and ` +
          'quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)',
      );
    }
    const name = match[1] === undefined ? match[2]! : match[1].replace(/\\(.)/gs, '$1');
    if (Buffer.byteLength(name) > 1500) throw invalidArgument('A field name is longer than 1500 bytes.');
    names.push(name);
  }
  if (parsed.size > 5000) parsed.clear();
  parsed.set(path, names);
  return names;
}

/** Throws INVALID_ARGUMENT for a path with a name that the cloud keeps for itself. */
export function checkUnreserved(names: readonly string[]): void {
  if (names.some(isReserved)) {
    throw invalidArgument(`Invalid reserved name in field path ${formatFieldPath(names)}`);
  }
}

/** The canonical form of a field path: a name is quoted only where required. */
export function formatFieldPath(names: readonly string[]): string {
  return names.map((name) => (UNQUOTED_NAME.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``)).join('.');
}

export function getField(fields: Fields, names: readonly string[]): Value | undefined {
  let value: Value | undefined = { mapValue: { fields } };
  for (const name of names) {
    const within: Fields | undefined = value.mapValue?.fields;
    if (!within || !Object.hasOwn(within, name)) return undefined;
    value = within[name]!;
  }
  return value;
}

/** A copy of `fields` with one field set, or removed when `value` is undefined. Other values are shared, not copied. */
export function withField(fields: Fields, names: readonly string[], value: Value | undefined): Fields {
  const [name, ...rest] = names as [string, ...string[]];
  const copy = { ...fields };
  if (rest.length === 0) {
    if (value) copy[name] = value;
    else delete copy[name];
    return copy;
  }
  const within = Object.hasOwn(fields, name) ? fields[name]!.mapValue : undefined;
  if (!within && !value) return fields;
  copy[name] = { mapValue: { fields: withField(within?.fields ?? {}, rest, value) } };
  return copy;
}

/** The fields of a document that a mask or projection selects. */
export function maskFields(fields: Fields, paths: readonly string[][]): Fields {
  let masked: Fields = {};
  for (const names of paths) {
    const value = getField(fields, names);
    if (value) masked = withField(masked, names, value);
  }
  return masked;
}
