import { InvalidArgumentError, type Command } from 'commander';
import { normalizeText, textProblems } from '../functions/src/values/human-text';

/**
 * Parses an option value that people read, such as a reason or a name. It must not be blank. Refuses a separate
 * argument that begins with a hyphen: in `--reason --yes` the reason is missing.
 */
export function text(value: string): string {
  const text = normalizeText(value);
  if (text === '') throw new InvalidArgumentError('It is empty.');
  const [problem] = textProblems(text);
  if (problem) throw new InvalidArgumentError(problem);
  if (value.startsWith('-') && isSeparateArgument(value)) {
    throw new InvalidArgumentError(
      'It looks like an option. Write a value that begins with a hyphen as --option=value.',
    );
  }
  return text;
}

const isSeparateArgument = (value: string) =>
  process.argv.some((argument, i) => argument === value && /^--[a-z-]+$/.test(process.argv[i - 1] ?? ''));

/** Makes a parser for an option value that is a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`It is not a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

/** Parses an option value that is a date, or a time in the form in which the commands print it. */
export function moment(value: string): Date {
  const time = new Date(value);
  if (!/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(value) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('It is not a time such as 2026-01-31T12:00:00.000Z.');
  }
  return time;
}

/** The name that the operator types: `take-down`, `show presentation`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** The value of `--<option>`. Ends the command as wrongly called when the option is missing. */
export function required(command: Command, option: string): string {
  const value = command.optsWithGlobals()[option] as string | undefined;
  return value ?? command.error(`${pathOf(command)} needs --${option}.`);
}

/** Which of two options was given, and its value. Ends the command as wrongly called unless exactly one was given. */
export function oneOf<const A extends string, const B extends string>(
  command: Command,
  first: A,
  second: B,
): { option: A | B; value: string } {
  const given = ([first, second] as const).flatMap((option) => {
    const value = command.getOptionValue(attributeOf(command, option)) as string | undefined;
    return value === undefined ? [] : [{ option, value }];
  });
  const [only] = given;
  if (!only || given.length > 1) return command.error(`${pathOf(command)} needs either --${first} or --${second}.`);
  return only;
}

/** The name under which commander stores an option: `keyId` for `--key-id`. Throws for an undeclared option. */
function attributeOf(command: Command, option: string): string {
  return command.options.find(({ long }) => long === `--${option}`)!.attributeName();
}
