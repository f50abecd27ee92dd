import type { Failure } from '../../client/src/failure';
import { commandLine, shellWord } from './command-line';
import { isThisComputer } from './this-computer';

/**
 * The next action for a failure of the client library, with the options and commands that the library does not know.
 */
export function libraryHint({ code, details }: Failure): string | undefined {
  const known = (details ?? {}) as Record<string, unknown>;
  switch (code) {
    case 'unreachable':
      return isLocal(String(known['baseUrl']))
        ? 'Start the local cloud with `npm start` in the project, or name another address with --base-url.'
        : 'Check the connection and the address (--base-url or DECK_BASE_URL).';
    case 'unexpected-answer':
      return 'Check the base URL (--base-url or DECK_BASE_URL), or try again later.';
    case 'upload-lost':
      return 'Push again. That does not send uploaded files a second time.';
    case 'ambiguous-entry':
      return `Name it with --entry, for example: --entry ${shellWord(firstOf(known['candidates']))}`;
    case 'bad-path':
      return known['isInDeck'] === true
        ? `Nothing was downloaded. You can open the deck in the browser: \`${commandLine('list')}\` shows its link.`
        : undefined;
    default:
      return undefined;
  }
}

const firstOf = (list: unknown) => (Array.isArray(list) ? String(list[0]) : '<path>');

function isLocal(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isThisComputer(new URL(baseUrl));
}
