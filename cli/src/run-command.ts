import { CommanderError, type Command } from 'commander';
import { Failure, usageFailure } from '../../client/src/failure';
import type { AddressOptions } from './address';
import { addHints } from './failure-hints';
import { Terminal } from './terminal';

/** What a command is given besides its words. */
export interface Surroundings {
  /** The options with which `deck mcp` was started, or the account of the caller: every command gets them. */
  address: AddressOptions;
  /** Ends the calls of the command. */
  signal: AbortSignal;
  /** Called with the done and the total bytes of a push or a download. */
  onProgress: (label: string, done: number, total: number) => void;
}

/** The values of options. `undefined` and `false` leave an option out, an array repeats it. */
type Options = Record<string, string | number | boolean | readonly string[] | undefined>;

/** `deck` with the command that the words name. It is an argument, because `deck mcp` is one of its commands. */
type Program = (terminal: Terminal, words: readonly string[]) => Promise<Command>;

export type RunCommand = ReturnType<typeof commandRunner>;

/**
 * Runs commands of `deck` in this process as with `--json`. Each run resolves with the document of the command, or
 * rejects with the failure that the document would hold.
 */
export const commandRunner =
  (program: Program) =>
  async (
    path: readonly string[],
    { options = {}, operands = [] }: { options?: Options; operands?: readonly (string | undefined)[] },
    surroundings: Surroundings,
  ): Promise<Record<string, unknown>> => {
    const { baseUrl, profile, account } = surroundings.address;
    // `--name=value` and `--` keep a value that starts with a dash from being read as an option.
    const { passcode, ...spoken } = options;
    const given = { ...spoken, 'base-url': baseUrl, profile };
    const named = operands.filter((word) => word !== undefined);
    const words = [...path, ...Object.entries(given).flatMap(wordsOf), '--', ...named];
    return recorded(surroundings, async (terminal) => {
      const deck = await program(terminal, words);
      if (account) deck.setOptionValue('account', account);
      // At a terminal it is not an argument: the command would read it from standard input.
      if (passcode !== undefined) deck.setOptionValue('passcode', passcode);
      await deck.parseAsync(words, { from: 'user' });
    });
  };

/** Does the work of a command as with `--json`. Resolves and rejects as the run of a command. */
export async function recorded(
  { signal, onProgress }: Pick<Surroundings, 'signal' | 'onProgress'>,
  work: (terminal: Terminal) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const terminal = new Recorder(signal, onProgress);
  try {
    await work(terminal);
    const { ok: _ok, ...document } = terminal.record();
    return document;
  } catch (error) {
    if (error instanceof CommanderError) throw usageFailure(error.message.replace(/^error: /, ''));
    throw error instanceof Failure ? addHints(error) : error;
  }
}

function wordsOf([name, value]: [string, Options[string]]): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  return [value].flat().map((each) => `--${name}=${String(each)}`);
}

/** A terminal that keeps the document of a command instead of writing it. */
class Recorder extends Terminal {
  constructor(
    override readonly signal: AbortSignal,
    private readonly onProgress: Surroundings['onProgress'],
  ) {
    super({ json: true });
  }

  override progress(label: string, total: number): { advance: (bytes: number) => void } {
    let done = 0;
    return {
      advance: (bytes) => {
        done += bytes;
        this.onProgress(label.trim(), done, total);
      },
    };
  }
}
