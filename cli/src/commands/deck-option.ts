import { Option } from 'commander';
import { isFile } from '../../../client/src/deck-file';
import { usageFailure } from '../../../client/src/failure';
import { commandLine } from '../command-line';
import type { CommonOptions } from '../session';

/** The options of a command about one deck. */
export interface DeckOptions extends CommonOptions {
  deck?: string;
}

/** The description of `[deck]`, the argument of commands that need nothing else. */
export const deckArgument = 'a folder that was pushed, or the id of a deck (default: this folder)';

/** `--deck`: the deck of a command that has arguments of its own. */
export function deckOption(): Option {
  return new Option('--deck <folder|id>', deckArgument);
}

/** The folder or id that the user names: as the argument, as `--deck`, or else the current folder. */
export function deckTarget(argument: string | undefined, { deck }: DeckOptions): string {
  if (argument !== undefined && deck !== undefined)
    throw usageFailure('Name the deck once: as an argument, or by --deck.');
  return argument ?? deck ?? '.';
}

/** The words of `--deck` for a hint that repeats the deck of the running command. */
export function deckWords(target: string): string[] {
  return target === '.' ? [] : ['--deck', target];
}

/**
 * The command that gets the newest files of a source that was pushed. Those of an HTML file, archive, PDF or picture
 * need a folder.
 */
export async function pullLine(target: string, presentationId: string): Promise<string> {
  return (await isFile(target)) ? commandLine('pull', presentationId, '<folder>') : commandLine('pull', target);
}
