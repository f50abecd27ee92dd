import type { Terminal } from './terminal';
import type { LinkNotice } from './verbs/open-link';

/** Shows what the user must know about a link. */
export function showNotices(notices: readonly LinkNotice[], terminal: Terminal): void {
  for (const { code, message, nextAction } of notices) {
    terminal.warn(message, code);
    if (nextAction !== undefined) terminal.note(`  ${nextAction}`);
  }
}
