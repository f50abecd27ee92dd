import type { Address } from './address';
import { commandLine } from './command-line';
import { Failure, isFailure } from '../../client/src/failure';
import type { Terminal } from './terminal';

/**
 * The key for calls to the address. DECK_API_KEY has precedence over the stored key of a profile that the user did not
 * name, and a warning says so. It is not sent to an address that only a folder names, because a folder from another
 * person can name any address. The stored key does not take its place there: the user must know which account a command
 * uses.
 */
export function requireKey(address: Address, terminal: Terminal): string {
  const { baseUrl, profile, isProfileNamed, isForeign } = address;
  if (address.key !== undefined) return address.key;
  const fromEnvironment = isProfileNamed ? undefined : keyOfEnvironment();
  if (fromEnvironment && !isForeign) {
    if (profile?.key && profile.key.raw !== fromEnvironment)
      warnOfEnvironment(profile.name, profile.key.email, terminal);
    return fromEnvironment;
  }
  if (fromEnvironment)
    throw new Failure(`DECK_API_KEY is not sent to ${baseUrl}: only the .deck.json of this folder names the address.`, {
      code: 'not-signed-in',
      nextAction: `If the address is yours, name it yourself: --base-url ${baseUrl}. Or unset DECK_API_KEY.`,
    });
  if (profile?.key) return profile.key.raw;
  // A ready command would lead users and agents to enter the code that another service mailed.
  if (isForeign)
    throw new Failure(`You are not signed in to ${baseUrl}, which only the .deck.json of this folder names.`, {
      code: 'not-signed-in',
      nextAction:
        'If you know and trust that service, name its address yourself with --base-url, and log in there first.',
    });
  const [login, signup] = [commandLine('login'), commandLine('signup')];
  throw new Failure(`You are not signed in to ${baseUrl}.`, {
    code: 'not-signed-in',
    nextAction: `Run \`${login}\`, or \`${signup}\` if you do not have an account yet.`,
  });
}

/** A key that was read from a file often ends with a line break. */
function keyOfEnvironment(): string | undefined {
  const key = process.env['DECK_API_KEY']?.trim();
  if (!key || /^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure('DECK_API_KEY is not a key: it has a space, a line break or a letter that no key has.', {
    code: 'not-signed-in',
    nextAction: 'Set it to one key, such as `export DECK_API_KEY=cko_…`, or unset it.',
  });
}

function warnOfEnvironment(name: string, email: string, terminal: Terminal): void {
  terminal.warn(
    `The key of DECK_API_KEY is used, and not that of the profile ${name} (${email}). To use that one, add ` +
      `--profile ${name} or unset DECK_API_KEY.`,
    'key-of-environment',
  );
}

/** The key for calls that work without one, too. */
export function findKey(address: Address, terminal: Terminal): string | undefined {
  try {
    return requireKey(address, terminal);
  } catch (error) {
    if (isFailure(error, 'not-signed-in')) return undefined;
    throw error;
  }
}
