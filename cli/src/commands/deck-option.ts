import { Option } from 'commander';
import { usageFailure } from '../../../client/src/failure';
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
