/** A setting as firebase-tools reads it: a value may hold its own quotation marks. `parseEnv` of Node cuts it there. */
const SETTING = /^\s*(?:export)?\s*([\w./]+)\s*=(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|[^#\r\n]*)\s*(?:#[^\n]*)?$/gm;

/** @type {Record<string, string>} */
const CHARACTERS = { n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * The settings in a file such as functions/.env, by their names. Of several with a name the last one counts.
 *
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function readSettings(text) {
  return new Map(Array.from(text.matchAll(SETTING), ([, name, value]) => [name, unquoted(value.trim())]));
}

function unquoted(value) {
  const [, mark, inside] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  if (mark !== '"') return inside ?? value;
  return inside.replace(/\\([nrtv\\'"])/g, (_, escaped) => CHARACTERS[escaped] ?? escaped);
}
