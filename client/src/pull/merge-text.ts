import { diff3Merge } from 'node-diff3';

/** The mark before the lines of the folder. Lines of this form are what a person must have edited before a push. */
export const MARK = '<<<<<<< this folder';

/** The comparison of so many equal lines takes seconds: a longer text conflicts as a whole. */
const MAX_LINES = 20_000;

/** Three states of a text: the common one, and what each side made of it. */
export interface Texts {
  base: string;
  mine: string;
  theirs: string;
}

/**
 * Joins the changes of both sides by lines. Where they changed the same lines in different ways, the text has the lines
 * of both between conflict marks, as Git writes them. `theirLabel` names the other side in the marks.
 */
export function mergeText(texts: Texts, theirLabel: string): { text: string; conflicts: number } {
  const [mine, base, theirs] = [linesOf(texts.mine), linesOf(texts.base), linesOf(texts.theirs)];
  const marked = (ours: readonly string[], others: readonly string[]) =>
    `${MARK}\n${closed(ours)}=======\n${closed(others)}>>>>>>> ${theirLabel}\n`;
  if (Math.max(mine.length, base.length, theirs.length) > MAX_LINES)
    return { text: marked(mine, theirs), conflicts: 1 };
  let conflicts = 0;
  const regions = diff3Merge(mine, base, theirs, { excludeFalseConflicts: true }).map(({ ok, conflict }) => {
    if (!conflict) return (ok ?? []).join('');
    conflicts++;
    return marked(conflict.a, conflict.b);
  });
  return { text: regions.join(''), conflicts };
}

/** The lines with their ends, so that they keep them. */
const linesOf = (text: string) => text.split(/(?<=\n)/);

/** The lines as a text that ends with a line. */
function closed(lines: readonly string[]): string {
  const text = lines.join('');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
