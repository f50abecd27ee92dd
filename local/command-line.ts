import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** A wrong command line. The message is for the person who typed it. */
export class UsageError extends Error {}

/** Parses arguments as `parseArgs` does. Throws UsageError, also for an option with a value that is given twice. */
export function parseArguments<const Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  try {
    const { values, tokens } = parseArgs({ args, options, tokens: true });
    const valued = tokens.flatMap((token) =>
      token.kind === 'option' && token.value !== undefined ? [token.name] : [],
    );
    const twice = valued.find((name, i) => !options[name]?.multiple && valued.indexOf(name) !== i);
    if (twice !== undefined) throw new UsageError(`--${twice} is given twice.`);
    return values;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The first sentence names the problem. The rest is advice for programmers.
    const [problem = ''] = (error as Error).message.split(/\.\s|\n/, 1);
    throw new UsageError(`${problem.replace(/\.$/, '')}.`);
  }
}

/**
 * The options of this process. Undefined when there is nothing to run: after `--help`, and for a wrong command line,
 * which is explained on standard error and sets the exit code 2.
 */
export function readOptions<Options extends { help: boolean }>(
  parse: (args: string[]) => Options,
  help: string,
): Options | undefined {
  try {
    const options = parse(process.argv.slice(2));
    if (!options.help) return options;
    process.stdout.write(help);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${help}`);
    process.exitCode = 2;
  }
  return undefined;
}
