/**
 * The rules for the texts that people write and other people read: names, titles, descriptions, messages. The service
 * and the dashboard check them with the same words.
 */

/** The text as it is stored: in NFC, with `\n` as the only line break, without surrounding spaces. */
export const normalizeText = (text: string): string => text.normalize('NFC').replace(/\r\n/g, '\n').trim();

/** A text of nothing but characters that leave no mark. U+2800 is a pattern of Braille without dots. */
const unseenOnly = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const UNSEEN = 'The text needs a character that people can see.';

/**
 * Every rule that a text breaks, one sentence each; empty for a valid text. An empty text breaks no rule. The caller
 * passes the text in its stored form. `lines` allows line breaks. `unseen` is said of a text that nobody can see.
 */
export function textProblems(text: string, { lines = false, unseen = UNSEEN } = {}): string[] {
  const problems: string[] = [];
  const controls = lines ? /[^\P{Cc}\n]/u : /\p{Cc}/u;
  if (controls.test(text)) {
    problems.push(
      lines
        ? 'The text must not contain control characters other than line breaks.'
        : 'The text must not contain control characters or line breaks.',
    );
  }
  if (/[\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text)) problems.push('The text must be valid Unicode.');
  if (/[\u{e0000}-\u{e007f}]/u.test(text)) problems.push('The text must not contain invisible tag characters.');
  if (!text.split(/[\n\u2028\u2029]/).every(closesDirections)) {
    problems.push('A character that changes the direction of the text must be closed in the same line.');
  }
  if (text !== '' && unseenOnly.test(text)) problems.push(unseen);
  return problems;
}

/** The characters that open an embedding or an override, or an isolate, each with the one that closes it. */
const closers: Readonly<Record<string, string>> = {
  '\u202a': '\u202c',
  '\u202b': '\u202c',
  '\u202d': '\u202c',
  '\u202e': '\u202c',
  '\u2066': '\u2069',
  '\u2067': '\u2069',
  '\u2068': '\u2069',
};

/** Whether each change of direction in a line is closed, in the reverse order of the openings. */
function closesDirections(line: string): boolean {
  const open: string[] = [];
  for (const character of line.match(/[\u202a-\u202e\u2066-\u2069]/g) ?? []) {
    const closer = closers[character];
    if (closer) open.push(closer);
    else if (open.pop() !== character) return false;
  }
  return open.length === 0;
}
