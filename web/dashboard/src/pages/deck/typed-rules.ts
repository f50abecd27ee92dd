import type { Contract } from '../../service';
import { quoted } from '../../ui/command-strip';
import { addressesOf } from './addresses-of';
import type { Link } from './use-deck';

/** The rules of a link as its forms hold them. */
export interface TypedRules {
  /** ISO 8601, or an empty string for never. */
  expires: string;
  short: boolean;
  /** Null without one. Undefined is the one that the link has, which the service does not show. */
  passcode: string | null | undefined;
  /** A whole number, or an empty string for any number. */
  maxOpenings: string;
  /** Addresses and domains. An empty list is everybody. */
  readers: string;
  isNotified: boolean;
}

type Sent = Contract['updateShareToken']['input'];
export type Rules = Pick<Sent, 'expiresAt' | 'short' | 'passcode' | 'maxOpenings' | 'allowedEmails' | 'notify'>;

export const noRules: TypedRules = {
  expires: '',
  short: false,
  passcode: null,
  maxOpenings: '',
  readers: '',
  isNotified: false,
};

/** The rules of a link, with the list of its readers, which its row does not have. */
export const rulesOf = (link: Link, readers: readonly string[]): TypedRules => ({
  expires: link.expiresAt ?? '',
  short: Boolean(link.shortUrl),
  passcode: link.hasPasscode ? undefined : null,
  maxOpenings: String(link.maxOpenings ?? ''),
  readers: readers.join('\n'),
  isNotified: link.notify === 'first',
});

/** What the service must change so that `before` becomes `after`. */
export function changedRules(before: TypedRules, after: TypedRules): Rules {
  const readers = addressesOf(after.readers);
  return {
    ...(after.expires !== before.expires && { expiresAt: after.expires || null }),
    ...(after.short !== before.short && { short: after.short }),
    ...(after.passcode !== before.passcode && after.passcode !== undefined && { passcode: after.passcode }),
    ...(after.maxOpenings !== before.maxOpenings && { maxOpenings: Number(after.maxOpenings) || null }),
    ...(readers.join() !== addressesOf(before.readers).join() && {
      allowedEmails: readers.length > 0 ? readers : null,
    }),
    ...(after.isNotified !== before.isNotified && { notify: after.isNotified ? 'first' : 'never' }),
  };
}

/** The rules as options of a command, which asks for a passcode: an argument would stand in the history of a shell. */
export const optionsOf = ({ expiresAt, short, passcode, maxOpenings, allowedEmails, notify }: Rules): string[] => [
  ...(expiresAt === undefined ? [] : [`--expires ${expiresAt ?? 'never'}`]),
  ...(short === undefined ? [] : [short ? '--short' : '--no-short']),
  ...(passcode === undefined ? [] : [passcode === null ? '--no-passcode' : '--passcode']),
  ...(maxOpenings === undefined ? [] : [`--max-openings ${maxOpenings ?? 'none'}`]),
  ...(allowedEmails === undefined ? [] : (allowedEmails ?? ['none']).map((each) => `--allow ${quoted(each)}`)),
  ...(notify === undefined ? [] : [`--notify ${notify}`]),
];
