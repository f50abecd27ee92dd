import { isAbsolute } from 'node:path';
import type { z } from 'zod';
import type { RunCommand } from '../run-command';

/** The place of a field among the words of a command that are not options. */
export const OPERAND = 'operand';

/**
 * A command as a call of a tool. The same data makes the words of the command from the input of the tool, and the call
 * of the tool from the words of a command in a hint.
 */
export interface CommandForm {
  /** The words of the command: `links add`. */
  path: string;
  /** The options that each call of the tool has. */
  always?: readonly string[];
  /**
   * For each field of the input its option, or else `OPERAND`: the operands have the order of the fields. An object
   * names the option for a value of the field.
   */
  takes: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** The fields whose values the command itself tells: `unstar` is `star: false`. */
  implies?: Readonly<Record<string, unknown>>;
  /** Options that the tool does not need, because it knows their values. */
  ignores?: readonly string[];
}

export interface ToolForms {
  commands: readonly CommandForm[];
  input: z.ZodRawShape;
}

type Words = NonNullable<Parameters<RunCommand>[1]>;

/** The words of the command for an input. */
export function wordsOf({ always = [], takes }: CommandForm, input: Readonly<Record<string, unknown>>): Words {
  const options: NonNullable<Words['options']> = Object.fromEntries(always.map((name) => [name, true]));
  const operands: string[] = [];
  for (const [field, word] of Object.entries(takes)) {
    const value = input[field] as string | number | boolean | readonly string[] | undefined;
    if (value === undefined) continue;
    if (word === OPERAND) operands.push(...[value].flat().map(String));
    else if (typeof word === 'string') options[word] = value;
    else if (word[String(value)] !== undefined) options[word[String(value)]!] = true;
  }
  return { options, operands };
}

/** The words of a command in a hint as a call of the tool that fits best. Undefined when no tool runs the command. */
export function toolCall(tools: ReadonlyMap<string, ToolForms>, words: readonly string[]): string | undefined {
  let best: { score: number; call: string } | undefined;
  for (const [name, { commands, input }] of tools)
    for (const form of commands) {
      const read = readWords(form, input, words);
      if (!read || (best && best.score >= read.score)) continue;
      const fields = Object.entries({ ...form.implies, ...read.fields });
      const shown = fields.map(
        ([field, value]) => `${field}: ${typeof value === 'string' ? quote(value) : String(value)}`,
      );
      best = { score: read.score, call: shown.length === 0 ? name : `${name} (${shown.join(', ')})` };
    }
  return best?.call;
}

/** A placeholder such as `<name>` stays as it is. */
const quote = (value: string) => (/^<.*>$/.test(value) ? value : JSON.stringify(value));

/** The fields that the words of a command set. A form that understands more of the words has a higher score. */
function readWords(
  { path, always = [], takes, ignores = [] }: CommandForm,
  input: z.ZodRawShape,
  words: readonly string[],
) {
  const start = path.split(' ');
  const rest = words.slice(start.length);
  const fixed = always.filter((name) => name !== 'yes').map((name) => `--${name}`);
  if (start.some((word, i) => words[i] !== word) || fixed.some((word) => !rest.includes(word))) return undefined;
  const places = Object.keys(takes).filter((field) => takes[field] === OPERAND);
  const fields: Record<string, unknown> = {};
  let score = start.length * 10 + fixed.length;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!;
    const [field, value] = word.startsWith('--') ? fieldOf(takes, word.slice(2)) : [places.shift(), undefined];
    if (field !== undefined) score++;
    else if (!fixed.includes(word) && !ignores.includes(word.slice(2))) score--;
    if (field === undefined) {
      if (word.startsWith('--') && !fixed.includes(word) && !rest[i + 1]?.startsWith('--')) i++;
    } else if (value !== undefined) fields[field] = value;
    else if (!word.startsWith('--')) fields[field] = valueFor(input[field], word);
    else if (accepts(input[field], true)) fields[field] = true;
    else fields[field] = valueFor(input[field], rest[++i] ?? '');
  }
  return { fields, score };
}

/** The field that an option sets, and the value for an option that stands for one. `--deck` may be an operand, too. */
function fieldOf(takes: CommandForm['takes'], option: string): [field?: string, value?: unknown] {
  for (const [field, word] of Object.entries(takes)) {
    if (word === option || (word === OPERAND && field === option)) return [field];
    if (typeof word !== 'object') continue;
    const value = Object.keys(word).find((each) => word[each] === option);
    if (value !== undefined) return [field, value === 'false' ? false : value];
  }
  return [];
}

const accepts = (schema: unknown, value: unknown) =>
  (schema as z.ZodType | undefined)?.safeParse(value).success === true;
const valueFor = (schema: unknown, text: string) => (accepts(schema, Number(text)) ? Number(text) : text);

/** A text for people at a terminal, with the fields of the tool in place of the options of its command. */
export function inFields(text: string, { commands }: ToolForms): string {
  const named = text.replace(/(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?![\w-])/g, (whole, option: string) => {
    for (const { takes } of commands) {
      const [field, value] = fieldOf(takes, option);
      if (field !== undefined) return value === undefined ? field : `${field}: ${JSON.stringify(value)}`;
    }
    return whole;
  });
  if (!/--(base-url|profile)\b/.test(named)) return named;
  return `${named} (These are options of \`deck mcp\`, which the user starts or configures.)`;
}

/** The absolute paths in an input, whose `folder` and `deck` may be paths. */
export function pathsIn(input: Readonly<Record<string, unknown>>): string[] {
  return [input['folder'], input['deck']].filter(
    (value): value is string => typeof value === 'string' && isAbsolute(value),
  );
}
