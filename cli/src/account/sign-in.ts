import { resolveAddress } from '../address';
import { isFailure, usageFailure } from '../../../client/src/failure';
import { keysPath, storeKey } from '../keys';
import { connect } from '../connect';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';
import { explainCode } from './code-hints';
import { loginToPublish } from './publishing-key';

export interface SignInOptions {
  baseUrl?: string;
  email?: string;
  code?: string;
  firstName?: string;
  lastName?: string;
  company?: string;
  keyName?: string;
  expiresInDays?: number;
  /** Whether the key may publish; for logins only. */
  publish?: boolean;
}

type Purpose = 'signup' | 'login';
/** The command and its address, for the messages that name them. */
interface SignIn {
  purpose: Purpose;
  /** The command that sends another code. */
  again: string;
  email: string;
  baseUrl: string;
}
type LoginAnswer = Contract['cliCompleteLogin']['answer'];

/**
 * `deck signup` and `deck login`: the service mails a one-time code, and the client exchanges it for a key. In a
 * terminal one command does both. Without a terminal the first command requests the code, and the second exchanges it.
 */
export async function signIn(purpose: Purpose, options: SignInOptions, terminal: Terminal): Promise<void> {
  const { baseUrl } = resolveAddress(options.baseUrl);
  const email = options.email ?? (await askEmail(purpose, terminal));
  const again = `deck ${purpose}${options.publish ? ' --publish' : ''} --email ${email}`;
  const command = { purpose, again, email, baseUrl };
  const service = connect(baseUrl, terminal);
  try {
    if (options.code === undefined && !terminal.canPrompt) await requestCodeOnly(service, command, options, terminal);
    else await exchangeCode(service, command, options, terminal);
  } finally {
    service.close();
  }
}

async function askEmail(purpose: Purpose, terminal: Terminal): Promise<string> {
  if (!terminal.canPrompt)
    throw usageFailure('Which email address?', `Pass it: deck ${purpose} --email you@example.com`);
  return terminal.ask('Email address:', (answer) =>
    answer.includes('@') ? undefined : 'That is not an email address.',
  );
}

async function requestCodeOnly(
  service: DeckService,
  command: SignIn,
  options: SignInOptions,
  terminal: Terminal,
): Promise<void> {
  const { purpose, again, email } = command;
  const { expiresInSeconds } = await requestCode(service, command);
  const name = purpose === 'signup' && !options.firstName ? ' --first-name <name>' : '';
  const next = `${again} --code <code>${name}`;
  terminal.say(
    `A six-digit code was sent to ${email}. It is valid for ${Math.round(expiresInSeconds / 60)} minutes. Then run:`,
  );
  terminal.say(`  ${next}`);
  terminal.answer({ status: 'code-sent', email, expiresInSeconds, next });
}

async function exchangeCode(
  service: DeckService,
  command: SignIn,
  options: SignInOptions,
  terminal: Terminal,
): Promise<void> {
  const { purpose, email } = command;
  if (purpose === 'signup' && !options.firstName && !terminal.canPrompt)
    throw usageFailure('An account needs a first name.', 'Pass it with --first-name.');
  if (options.code === undefined) await requestCodeOrUseLast(service, command, terminal);
  let code = options.code ?? (await askCode(terminal));
  const firstName = options.firstName ?? (purpose === 'signup' ? await askFirstName(terminal) : '');
  for (;;) {
    try {
      const given = { ...options, email, code, firstName };
      const answer = options.publish
        ? await loginToPublish(service, given, terminal)
        : await complete(service, purpose, given);
      await storeAndShowKey(answer, command, options.publish ? 'publish' : 'push', terminal);
      return;
    } catch (error) {
      const failure = isFailure(error) ? explainCode(error, command) : error;
      if (!isFailure(failure, 'OTP_INVALID') || !terminal.canPrompt) throw failure;
      terminal.warn(failure.message);
      code = await askCode(terminal);
    }
  }
}

async function requestCode(service: DeckService, command: SignIn): Promise<{ expiresInSeconds: number }> {
  const { purpose, email } = command;
  try {
    const name = purpose === 'signup' ? 'cliRequestSignupOtp' : 'cliRequestLoginOtp';
    return await service.post(name, { email }, { canRepeat: false });
  } catch (error) {
    throw isFailure(error) ? explainCode(error, command) : error;
  }
}

/** In a terminal, the user can enter the code that was sent last when it is too early for another one. */
async function requestCodeOrUseLast(service: DeckService, command: SignIn, terminal: Terminal): Promise<void> {
  const { email } = command;
  try {
    const { expiresInSeconds } = await requestCode(service, command);
    terminal.say(
      `A six-digit code was sent to ${email}. It is valid for ${Math.round(expiresInSeconds / 60)} minutes.`,
    );
  } catch (error) {
    if (!isFailure(error, 'OTP_RESEND_COOLDOWN')) throw error;
    terminal.say(`A code was sent to ${email} less than a minute ago. Enter that code.`);
  }
}

function askCode(terminal: Terminal): Promise<string> {
  return terminal.ask('Code from the mail:', (code) => (/^\d{6}$/.test(code) ? undefined : 'A code has six digits.'));
}

function askFirstName(terminal: Terminal): Promise<string> {
  return terminal.ask('First name:', (name) => (name ? undefined : 'An account needs a first name.'));
}

async function complete(
  service: DeckService,
  purpose: Purpose,
  {
    email,
    code,
    firstName,
    lastName,
    company,
    keyName,
    expiresInDays,
  }: SignInOptions & { email: string; code: string; firstName: string },
): Promise<LoginAnswer> {
  const apiKey = {
    ...(keyName !== undefined && { name: keyName }),
    ...(expiresInDays !== undefined && { expiresInDays }),
  };
  const once = { canRepeat: false };
  if (purpose === 'login') return service.post('cliCompleteLogin', { email, code, apiKey }, once);
  const user = { firstName, ...(lastName !== undefined && { lastName }) };
  const body = { email, code, user, apiKey, ...(company !== undefined && { company: { name: company } }) };
  return service.post('cliCompleteSignup', body, once);
}

async function storeAndShowKey(
  answer: LoginAnswer,
  { email, baseUrl }: SignIn,
  next: 'push' | 'publish',
  terminal: Terminal,
): Promise<void> {
  const { organizationId, organizationName, apiKey } = answer;
  const { raw, ...shown } = apiKey;
  await storeKey(baseUrl, { raw, keyPrefix: apiKey.keyPrefix, email, organizationId, organizationName });
  const { green, bold, dim } = terminal.colors;
  terminal.say(`${green('✓')} Signed in as ${email} to ${bold(organizationName)}`);
  terminal.say(dim(`  The key ${apiKey.keyPrefix}… is stored in ${keysPath()}`));
  terminal.say(`Next: deck ${next} <folder>`);
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is set. The client uses it instead of this key.');
  terminal.answer({ status: 'signed-in', email, organizationId, organizationName, apiKey: shown, keyFile: keysPath() });
}
