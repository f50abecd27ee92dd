import { isFailure, usageFailure } from '../failure';
import { resolveAddress } from '../address';
import { keysPath, rememberKey } from '../keys';
import { connect } from '../service/connect';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
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
  /** Whether the key is to be one that may publish; logins only. */
  publish?: boolean;
}

type Purpose = 'signup' | 'login';
/** One of the two commands, as far as its answers name it. */
interface SignIn {
  purpose: Purpose;
  /** What to run to be sent another code. */
  again: string;
  email: string;
  baseUrl: string;
}
type LoginAnswer = Contract['cliCompleteLogin']['answer'];

/**
 * `deck signup` and `deck login`: a code is mailed, then exchanged for a key. In a terminal both happen in one go; without
 * one the first call asks for the code and the second brings it.
 */
export async function signIn(purpose: Purpose, options: SignInOptions, terminal: Terminal): Promise<void> {
  const { baseUrl } = resolveAddress(options.baseUrl);
  const email = options.email ?? (await askEmail(purpose, terminal));
  const again = `deck ${purpose}${options.publish ? ' --publish' : ''} --email ${email}`;
  const command = { purpose, again, email, baseUrl };
  const service = connect(baseUrl, terminal);
  try {
    if (options.code === undefined && !terminal.canPrompt) await requestForLater(service, command, options, terminal);
    else await exchangeCode(service, command, options, terminal);
  } finally {
    service.close();
  }
}

async function askEmail(purpose: Purpose, terminal: Terminal): Promise<string> {
  if (!terminal.canPrompt)
    throw usageFailure('Which email address?', `Pass it: deck ${purpose} --email you@example.com`);
  return terminal.ask('Email address:', (answer) => (answer.includes('@') ? undefined : 'That is no email address.'));
}

async function requestForLater(
  service: Service,
  command: SignIn,
  options: SignInOptions,
  terminal: Terminal,
): Promise<void> {
  const { purpose, again, email } = command;
  const { expiresInSeconds } = await requestCode(service, command);
  const name = purpose === 'signup' && !options.firstName ? ' --first-name <name>' : '';
  const next = `${again} --code <code>${name}`;
  terminal.say(
    `A six-digit code is on its way to ${email}, and valid for ${Math.round(expiresInSeconds / 60)} minutes. Then run:`,
  );
  terminal.say(`  ${next}`);
  terminal.answer({ status: 'code-sent', email, expiresInSeconds, next });
}

async function exchangeCode(
  service: Service,
  command: SignIn,
  options: SignInOptions,
  terminal: Terminal,
): Promise<void> {
  const { purpose, email } = command;
  if (purpose === 'signup' && !options.firstName && !terminal.canPrompt)
    throw usageFailure('An account needs a first name.', 'Pass it with --first-name.');
  if (options.code === undefined) await requestOrContinue(service, command, terminal);
  let code = options.code ?? (await askCode(terminal));
  const firstName = options.firstName ?? (purpose === 'signup' ? await askFirstName(terminal) : '');
  for (;;) {
    try {
      const given = { ...options, email, code, firstName };
      const answer = options.publish
        ? await loginToPublish(service, given, terminal)
        : await complete(service, purpose, given);
      await welcome(answer, command, options.publish ? 'publish' : 'push', terminal);
      return;
    } catch (error) {
      const failure = isFailure(error) ? explainCode(error, command) : error;
      if (!isFailure(failure, 'OTP_INVALID') || !terminal.canPrompt) throw failure;
      terminal.warn(failure.message);
      code = await askCode(terminal);
    }
  }
}

async function requestCode(service: Service, command: SignIn): Promise<{ expiresInSeconds: number }> {
  const { purpose, email } = command;
  try {
    const name = purpose === 'signup' ? 'cliRequestSignupOtp' : 'cliRequestLoginOtp';
    return await service.post(name, { email }, { canRepeat: false });
  } catch (error) {
    throw isFailure(error) ? explainCode(error, command) : error;
  }
}

/** In a terminal, a code that was sent a moment ago serves as well as a new one. */
async function requestOrContinue(service: Service, command: SignIn, terminal: Terminal): Promise<void> {
  const { email } = command;
  try {
    const { expiresInSeconds } = await requestCode(service, command);
    terminal.say(
      `A six-digit code is on its way to ${email}, and valid for ${Math.round(expiresInSeconds / 60)} minutes.`,
    );
  } catch (error) {
    if (!isFailure(error, 'OTP_RESEND_COOLDOWN')) throw error;
    terminal.say(`A code was sent to ${email} moments ago: enter that one.`);
  }
}

function askCode(terminal: Terminal): Promise<string> {
  return terminal.ask('Code from the mail:', (code) => (/^\d{6}$/.test(code) ? undefined : 'A code has six digits.'));
}

function askFirstName(terminal: Terminal): Promise<string> {
  return terminal.ask('First name:', (name) => (name ? undefined : 'An account needs a first name.'));
}

async function complete(
  service: Service,
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

async function welcome(
  answer: LoginAnswer,
  { email, baseUrl }: SignIn,
  next: 'push' | 'publish',
  terminal: Terminal,
): Promise<void> {
  const { organizationId, organizationName, apiKey } = answer;
  const { raw, ...shown } = apiKey;
  await rememberKey(baseUrl, { raw, keyPrefix: apiKey.keyPrefix, email, organizationId, organizationName });
  const { green, bold, dim } = terminal.colors;
  terminal.say(`${green('✓')} Signed in as ${email} to ${bold(organizationName)}`);
  terminal.say(dim(`  The key ${apiKey.keyPrefix}… is kept in ${keysPath()}`));
  terminal.say(`Next: deck ${next} <folder>`);
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is set and goes before this key.');
  terminal.answer({ status: 'signed-in', email, organizationId, organizationName, apiKey: shown, keyFile: keysPath() });
}
