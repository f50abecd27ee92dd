import { text as readText } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { usageFailure } from '../../../client/src/failure';
import { count } from '../../../client/src/format';
import { localTime, timeUntil } from '../show-time';
import type { Terminal } from '../terminal';
import { parseExpiry } from '../verbs/expiry';
import { notifications, type Link, type LinkRules } from '../verbs/links';

/** The rules of links as options of a command, and in words. */
export interface RuleOptions {
  expires?: string;
  short?: boolean;
  /** True when the passcode is still to be read, false when it ends. A text is of an agent, and `none` ends it. */
  passcode?: boolean | string;
  maxOpenings?: number | 'none';
  allow?: string[];
  notify?: LinkRules['notify'];
}

/** The names of the options that `withRules` adds. */
export const ruleNames = ['expires', 'passcode', 'maxOpenings', 'allow', 'notify'] as const;

/** Adds the options for the rules of links. */
export function withRules(command: Command): Command {
  return command
    .option('--expires <when>', 'when the link stops opening: 2031-01-31, 7d, 12h, or never')
    .option('--passcode', 'readers must know a passcode, which is asked for, or read from standard input')
    .option('--max-openings <number>', 'how often the link opens, or none for any number', openings)
    .option('--allow <address|@domain>', 'who may open the link, or none for everybody; may be repeated', addresses)
    .addOption(new Option('--notify <when>', 'when to email you about readers of the link').choices(notifications));
}

function openings(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1, or none.');
  return Number(text);
}

const addresses = (text: string, before: string[] = []) => [
  ...new Set([...before, ...text.toLowerCase().split(',')].map((each) => each.trim())),
];

/** The rules that the options name. Asks for the passcode, or reads it from standard input. */
export async function rulesOf(
  { expires, short, passcode, maxOpenings, allow, notify }: RuleOptions,
  terminal: Terminal,
): Promise<LinkRules> {
  return {
    expires: expires === undefined ? undefined : parseExpiry(expires, new Date()),
    short,
    maxOpenings: maxOpenings === 'none' ? null : maxOpenings,
    allow: allow?.join() === 'none' ? null : allow,
    notify,
    passcode: passcode === true ? await readPasscode(terminal) : isOff(passcode) ? null : passcode,
  };
}

const isOff = (passcode: RuleOptions['passcode']) => passcode === false || passcode === 'none';

/** A passcode is never an argument: shells remember arguments, and other programs see them. */
async function readPasscode(terminal: Terminal): Promise<string> {
  if (terminal.canPrompt) return terminal.askHidden('Passcode:');
  const text = process.stdin.isTTY ? '' : (await readText(process.stdin)).replace(/\r?\n$/, '');
  if (/^[^\r\n]+$/.test(text)) return text;
  throw usageFailure('The command needs a passcode.', 'Write the passcode as one line to standard input.');
}

type GateWords = Pick<Link, 'hasPasscode' | 'maxOpenings' | 'openings' | 'allowedEmailCount' | 'notify'>;

/** In few words: `expires in 7 days`, `expired 2026-11-22 20:11`. */
export function expiryWords({ expiresAt, state }: Pick<Link, 'expiresAt' | 'state'>): string[] {
  if (expiresAt === null) return [];
  return [state === 'expired' ? `expired ${localTime(expiresAt)}` : `expires ${timeUntil(expiresAt)}`];
}

/** The other rules of a link, each in few words: `passcode`, `5 of 10 openings left`. */
export function ruleWords({ hasPasscode, maxOpenings, openings, allowedEmailCount, notify }: GateWords): string[] {
  const words = [
    hasPasscode && 'passcode',
    maxOpenings !== null && `${Math.max(0, maxOpenings - openings)} of ${count(maxOpenings, 'opening')} left`,
    allowedEmailCount !== null && `${allowedEmailCount} allowed ${allowedEmailCount === 1 ? 'address' : 'addresses'}`,
    notify === 'first' && 'an email at the first view',
  ];
  return words.filter((each) => each !== false);
}
