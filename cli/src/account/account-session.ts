import { isFailure, usageFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { resolveAddress, type AddressOptions } from '../address';
import { commandLine } from '../command-line';
import { connect } from '../connect';
import type { Terminal } from '../terminal';
import { withDashboardSession } from './dashboard-session';
import { askCode, requireEmail, withMailedCode } from './one-time-code';

/** Whose account it is, and where. */
export interface AccountPlace {
  baseUrl: string;
  /** The address with which the user signed in. */
  email: string;
  opened: Contract['createDashboardSession']['answer'];
}

/**
 * Runs `work` in a dashboard session, for an act on the whole account. The session needs a code, and the act needs
 * another one from another mail: the command asks for both, so it needs a terminal.
 */
export async function withAccountSession(
  words: string[],
  options: AddressOptions & { email?: string },
  terminal: Terminal,
  work: (session: DeckService, place: AccountPlace) => Promise<void>,
): Promise<void> {
  if (!terminal.canPrompt)
    throw usageFailure(
      'The command asks for the codes of two mails, one after the other.',
      'Run it in a terminal, or use the settings in the dashboard.',
    );
  const address = await resolveAddress(options);
  const known = options.email ?? address.profile?.key?.email;
  const line = commandLine('account', ...words);
  const email = await requireEmail({ ...(known !== undefined && { email: known }) }, line, terminal);
  const service = connect(address.baseUrl, terminal);
  const command = { purpose: 'login' as const, email, again: line, next: line };
  try {
    terminal.say('First sign in: this changes the whole account.');
    await withMailedCode(service, command, {}, terminal, (entered) =>
      withDashboardSession(service, { email, ...entered }, terminal, (session, opened) =>
        work(session, { baseUrl: address.baseUrl, email, opened }),
      ),
    );
  } finally {
    service.close();
  }
}

/** Does one act on the account: has its code mailed, and sends both until the code is the right one. */
export async function withActCode<T>(
  session: DeckService,
  { purpose, email }: { purpose: 'delete' | 'export'; email: string },
  terminal: Terminal,
  send: (entered: { code: string; requestToken: string }) => Promise<T>,
): Promise<T> {
  const { requestToken } = await session.post('requestAccountCode', { purpose }, { canRepeat: false });
  terminal.say(`Another code was sent to ${email}. It is valid for 10 minutes.`);
  for (;;) {
    const code = await askCode(terminal, email);
    try {
      return await send({ code, requestToken });
    } catch (error) {
      if (!isFailure(error, 'OTP_INVALID')) throw error;
      terminal.warn(error.message);
    }
  }
}
