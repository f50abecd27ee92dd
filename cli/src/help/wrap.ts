/** The first column of an entry such as `  DECK_PROFILE   the profile to use`: its text stands behind two spaces. */
const ENTRY = /^( *\S+(?: \S+)* {2,})\S/;

/**
 * Wraps the paragraphs of a help text of which a line is wider than `width`. The lines of an entry keep its column.
 * Other lines that begin with a space, such as examples, stay as they are.
 */
export function wrapHelp(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((paragraph) =>
      paragraph.split('\n').some((line) => line.length > width) ? wrapLines(paragraph, width) : paragraph,
    )
    .join('\n\n');
}

function wrapLines(paragraph: string, width: number): string {
  const items: { hang: number | undefined; text: string }[] = [];
  for (const line of paragraph.split('\n')) {
    const indent = indentOf(line);
    const last = items.at(-1);
    const isContinued = last && last.text !== '' && !last.text.endsWith(':');
    const entry = ENTRY.exec(line)?.[1]?.length;
    if (isContinued && indent === last.hang) last.text += ` ${line.trim()}`;
    else items.push({ hang: entry ?? (indent === 0 ? 0 : undefined), text: line });
  }
  return items.map(({ hang, text }) => (hang === undefined ? text : wrapLine(text, width, hang))).join('\n');
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Wraps a line at its spaces. The further lines begin with `hang` spaces. */
export function wrapLine(text: string, width: number, hang = indentOf(text)): string {
  const lines: string[] = [];
  let line = '';
  // The spaces before a word belong to it, so that the column of an entry stays.
  for (const part of text.match(/ *\S+/g) ?? []) {
    if (line !== '' && line.length + part.length > width) {
      lines.push(line);
      line = ' '.repeat(hang) + part.trimStart();
    } else line += part;
  }
  return [...lines, line].join('\n');
}
