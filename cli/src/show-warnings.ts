import { count, plain } from '../../client/src/format';
import type { Warning } from '../../client/src/inspection/warning';
import type { Terminal } from './terminal';

/** About ten lines hold the warnings of most decks. */
const SHOWN_ITEMS = 5;

/** The groups in the order in which they are shown. A group without a title is shown as its messages. */
const titles: Record<Warning['code'], ((files: string) => string) | undefined> = {
  'too-many-files': undefined,
  'payload-too-large': undefined,
  'not-checked': undefined,
  'source-changed': undefined,
  'merge-untold': undefined,
  'blank-router': undefined,
  'no-speaker-view': undefined,
  'blank-pdf': undefined,
  'not-built': (files) => `The deck asks for ${files} that browsers run only after a build:`,
  'leaves-deck': (files) =>
    `The deck asks for ${files} at the root of the site, not in its own folder. This service does not find them, and the ` +
    'deck may stay blank:',
  'other-base': (files) => `The deck was built for another address, and asks for ${files} there:`,
  'missing-file': (files) => `The deck asks for ${files} that the folder does not have:`,
  'ignored-file': (files) => `The deck asks for ${files} that a push ignores:`,
  'case-differs': (files) =>
    `The deck asks for ${files} by a name in other upper and lower case. The service does not find them:`,
  'reserved-path': (files) => `The deck has ${files} at addresses that the service keeps for itself:`,
  secret: (files) =>
    `${files} ${files === '1 file' ? 'looks like a secret' : 'look like secrets'}. Everyone with a link can read:`,
  'unused-rules': () => 'The deck has rules of another host, which the service does not apply:',
};

/** Shows the warnings in groups, with the first ones of each. */
export function showWarnings(warnings: readonly Warning[], terminal: Terminal): void {
  const groups = Object.entries(titles)
    .map(([code, title]) => ({ title, group: warnings.filter((warning) => warning.code === code) }))
    .filter(({ group }) => group.length > 0);
  const shownOfEach = Math.max(1, Math.floor(SHOWN_ITEMS / groups.length));
  for (const { title, group } of groups) {
    const shown = group.slice(0, shownOfEach);
    const hidden = group.length - shown.length;
    if (title)
      terminal.warn(
        [title(count(group.length, 'file')), ...shown.map((warning) => `    ${itemOf(warning)}`)].join('\n'),
      );
    else for (const { message } of shown) terminal.warn(plain(message));
    if (hidden > 0) terminal.note(`    … and ${hidden.toLocaleString('en')} more`);
    const nextAction = shown[0]?.nextAction;
    if (nextAction) terminal.note(`  → ${nextAction}`);
  }
}

function itemOf({ code, address = '', path = '', source }: Warning): string {
  if (code === 'reserved-path' || (code === 'unused-rules' && source === undefined)) return plain(path);
  if (code === 'secret') return plain(source ?? path);
  const found = code === 'case-differs' || code === 'other-base' ? `, the file is ${path}` : '';
  return plain(`${address} (${source})${found}`);
}
