import { isFailure, usageFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';
import { explainCode } from './code-hints';
import { keepRequest, readCodeTokens } from './code-tokens';

/** A command that needs a code which the service mails. */
export interface CodeCommand {
  purpose: 'signup' | 'login';
  email: string;
  /** The command that sends another code. */
  again: string;
  /** The command that sends the code to the service, with `<code>` in its place. */
  next: string;
}

/** A code as the user entered it, with the token of the request that this computer made for it. */
export interface EnteredCode {
  code: string;
  /** Absent when another computer requested the code: then the service accepts the newest code only. */
  requestToken?: string | undefined;
}

interface CodeOptions {
  email?: string;
  code?: string;
}

/** The address of the option, or else of the terminal. `example` is the command with the option. */
export async function requireEmail({ email }: CodeOptions, example: string, terminal: Terminal): Promise<string> {
  if (email !== undefined) return email;
  if (!terminal.canPrompt) throw usageFailure('The command needs your email address.', `Pass it: ${example}`);
  return terminal.ask('Email address:', (answer) =>
    answer.includes('@') ? undefined : 'That is not an email address.',
  );
}

/**
 * Runs `work` with a code. In a terminal one command has the code sent, asks for it, and asks again after a wrong code.
 * Without a terminal the first command has the code sent and names the second, which gets it with `--code`.
 */
export async function withMailedCode(
  service: DeckService,
  command: CodeCommand,
  options: CodeOptions,
  terminal: Terminal,
  work: (entered: EnteredCode) => Promise<void>,
): Promise<void> {
  if (options.code === undefined && !terminal.canPrompt) return sendCodeOnly(service, command, terminal);
  if (options.code === undefined) await sendCodeOrUseLast(service, command, terminal);
  const { request } = await readCodeTokens({ baseUrl: service.baseUrl, email: command.email });
  let code = options.code ?? (await askCode(terminal));
  for (;;) {
    try {
      await work({ code, requestToken: request?.requestToken });
      return;
    } catch (error) {
      const failure = isFailure(error) ? explainCode(error, command) : error;
      if (!isFailure(failure, 'OTP_INVALID') || !terminal.canPrompt) throw failure;
      terminal.warn(failure.message);
      code = await askCode(terminal);
    }
  }
}

async function sendCodeOnly(service: DeckService, command: CodeCommand, terminal: Terminal): Promise<void> {
  const { email, next } = command;
  const { expiresInSeconds } = await sendCode(service, command);
  terminal.say(`${codeWasSent(email, expiresInSeconds)} Then run:`);
  terminal.say(`  ${next}`);
  terminal.answer({ status: 'code-sent', email, expiresInSeconds, next });
}

/** In a terminal, the user can enter the code that was sent last when it is too early for another one. */
async function sendCodeOrUseLast(service: DeckService, command: CodeCommand, terminal: Terminal): Promise<void> {
  const { email } = command;
  try {
    const { expiresInSeconds } = await sendCode(service, command);
    terminal.say(codeWasSent(email, expiresInSeconds));
  } catch (error) {
    if (!isFailure(error, 'OTP_RESEND_COOLDOWN')) throw error;
    terminal.say(`A code was sent to ${email} less than a minute ago. Enter that code.`);
  }
}

async function sendCode(service: DeckService, command: CodeCommand): Promise<{ expiresInSeconds: number }> {
  const { purpose, email } = command;
  const place = { baseUrl: service.baseUrl, email };
  const { deviceToken } = await readCodeTokens(place);
  try {
    const name = purpose === 'signup' ? 'cliRequestSignupOtp' : 'cliRequestLoginOtp';
    const sent = await service.post(name, { email, deviceToken }, { canRepeat: false });
    await keepRequest(place, sent.requestToken, sent.expiresInSeconds);
    return sent;
  } catch (error) {
    throw isFailure(error) ? explainCode(error, command) : error;
  }
}

const codeWasSent = (email: string, expiresInSeconds: number) =>
  `A six-digit code was sent to ${email}. It is valid for ${Math.round(expiresInSeconds / 60)} minutes.`;

/** Asks for a code, and names the address to which it was mailed where several mails have one. */
export const askCode = (terminal: Terminal, email?: string): Promise<string> =>
  terminal.ask(`Code from the mail${email === undefined ? '' : ` to ${email}`}:`, (code) =>
    /^\d{6}$/.test(code) ? undefined : 'A code has six digits.',
  );
