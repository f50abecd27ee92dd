import { resolveSignIn, type AddressOptions } from '../address';
import { commandLine } from '../command-line';
import { isFailure, usageFailure } from '../../../client/src/failure';
import { connect } from '../connect';
import type { DeckService } from '../../../client/src/service/service';
import { profilePath, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import { defaultKeyName } from './key-name';
import { makeLoginKey } from './login-key';
import { keepDevice } from './code-tokens';
import { requireEmail, withMailedCode, type CodeCommand, type EnteredCode } from './one-time-code';
import { revokeReplacedKeys, storeKey, type Account } from './stored-key';

export interface SignInOptions extends AddressOptions {
  email?: string;
  code?: string;
  firstName?: string;
  lastName?: string;
  company?: string;
  keyName?: string;
  expiresInDays?: number;
  /** Whether the key may publish; for logins only. */
  publish?: boolean;
  /** A key that the login revokes first, when there is no room for another one. */
  revoke?: string;
}

/**
 * `deck signup` and `deck login`: the service mails a one-time code, and the client exchanges it for a key. The key
 * takes the place of the one that the profile had, which is revoked when the new one is stored.
 */
export async function signIn(purpose: 'signup' | 'login', options: SignInOptions, terminal: Terminal): Promise<void> {
  const profile = await resolveSignIn(options);
  const email = await requireEmail(options, commandLine(purpose, '--email', 'you@example.com'), terminal);
  const command = codeCommand(purpose, email, options);
  const service = connect(profile.baseUrl, terminal);
  try {
    await withMailedCode(service, command, options, terminal, async (entered) => {
      // A replaced key that could not be revoked earlier is revoked first, so that there is never a second one.
      await revokeReplacedKeys(service, profile);
      const given = { ...options, email, ...entered };
      const account =
        purpose === 'login'
          ? await makeLoginKey(service, profile, given, terminal)
          : await signUp(service, given, terminal);
      await storeKey(service, profile, account, terminal);
      show(account, profile, options, terminal);
    });
  } finally {
    service.close();
  }
}

function codeCommand(purpose: 'signup' | 'login', email: string, options: SignInOptions): CodeCommand {
  const { publish, revoke, firstName, lastName, company, keyName, expiresInDays } = options;
  const given = Object.entries({
    '--revoke': revoke,
    '--email': email,
    '--first-name': firstName,
    '--last-name': lastName,
    '--company': company,
    '--key-name': keyName,
    '--expires-in-days': expiresInDays,
  }).flatMap(([option, value]) => (value === undefined ? [] : [option, String(value)]));
  const words = [purpose, ...(publish ? ['--publish'] : []), ...given];
  const name = purpose === 'signup' && !firstName ? ['--first-name', '<name>'] : [];
  return { purpose, email, again: commandLine(...words), next: commandLine(...words, '--code', '<code>', ...name) };
}

/** Sends the code before it asks for a missing first name: the service tells a wrong code first. */
async function signUp(
  service: DeckService,
  given: SignInOptions & EnteredCode & { email: string },
  terminal: Terminal,
): Promise<Account> {
  const { firstName = '' } = given;
  try {
    return await completeSignup(service, { ...given, firstName });
  } catch (error) {
    if (firstName || !isFailure(error, 'USER_FIRST_NAME_REQUIRED')) throw error;
  }
  if (!terminal.canPrompt) throw usageFailure('An account needs a first name.', 'Pass it with --first-name.');
  return completeSignup(service, { ...given, firstName: await askFirstName(terminal) });
}

function askFirstName(terminal: Terminal): Promise<string> {
  return terminal.ask('First name:', (name) => (name ? undefined : 'An account needs a first name.'));
}

async function completeSignup(
  service: DeckService,
  given: SignInOptions & EnteredCode & { email: string; firstName: string },
): Promise<Account> {
  const { email, code, requestToken, firstName, lastName, company, keyName, expiresInDays } = given;
  const user = { firstName, ...(lastName !== undefined && { lastName }) };
  const apiKey = {
    name: keyName?.trim() || defaultKeyName({}),
    ...(expiresInDays !== undefined && { expiresInDays }),
  };
  const body = {
    email,
    code,
    requestToken,
    user,
    apiKey,
    ...(company !== undefined && { company: { name: company } }),
  };
  const account = await service.post('cliCompleteSignup', body, { canRepeat: false });
  await keepDevice({ baseUrl: service.baseUrl, email }, account.deviceToken);
  return { email, ...account };
}

function show(account: Account, { name, baseUrl }: Profile, { publish }: SignInOptions, terminal: Terminal): void {
  const { email, organizationId, organizationName, apiKey } = account;
  const { raw: _secret, ...shown } = apiKey;
  const { green, bold, dim } = terminal.colors;
  terminal.say(`${green('✓')} Signed in as ${email} to ${bold(organizationName)} at ${baseUrl}`);
  terminal.say(dim(`  The key ${apiKey.keyPrefix}… is stored in ${profilePath(name)} (profile ${name})`));
  terminal.say(`Next: ${commandLine(publish ? 'publish' : 'push', '<folder>')}`);
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is set. The client uses it instead of this key.');
  const profile = { profile: name, baseUrl, keyFile: profilePath(name) };
  terminal.answer({ status: 'signed-in', email, organizationId, organizationName, ...profile, apiKey: shown });
}
