import { Failure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';
import { keepDevice } from './code-tokens';
import type { EnteredCode } from './one-time-code';

type Opened = Contract['createDashboardSession']['answer'];

/**
 * Exchanges a code for a dashboard session, which may make and revoke keys, and runs `work` with it. The session is
 * ended afterwards, also when the work fails. Its token is not stored.
 */
export async function withDashboardSession<T>(
  service: DeckService,
  entered: EnteredCode & { email: string },
  terminal: Terminal,
  work: (session: DeckService, opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await service.post('createDashboardSession', entered, { canRepeat: false });
  await keepDevice({ baseUrl: service.baseUrl, email: entered.email }, opened.deviceToken);
  const session = service.withKey(opened.sessionToken);
  try {
    return await work(session, opened);
  } finally {
    await endSession(session, terminal);
    session.close();
  }
}

async function endSession(session: DeckService, terminal: Terminal): Promise<void> {
  try {
    await session.post('endDashboardSession', {}, { canRepeat: false });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // `unauthenticated`: the session has ended already, for example by a call whose answer was lost.
    if (error.code !== 'unauthenticated')
      terminal.warn('The dashboard session could not be ended. It expires within twelve hours.');
  }
}
