import { randomUUID } from 'node:crypto';
import { Failure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import type { Terminal } from '../terminal';

type LoginAnswer = Contract['cliCompleteLogin']['answer'];
type NewKey = Contract['createApiKey']['input'];

interface Login {
  email: string;
  code: string;
  keyName?: string | undefined;
  expiresInDays?: number | undefined;
}

/**
 * Exchanges a login code for a key that may publish. Only a dashboard session can make such a key. The session is ended
 * after the call, also when the call fails, and its token is not stored.
 */
export async function loginToPublish(
  service: DeckService,
  { email, code, keyName, expiresInDays }: Login,
  terminal: Terminal,
): Promise<LoginAnswer> {
  const opened = await service.post('createDashboardSession', { email, code }, { canRepeat: false });
  const { sessionToken, organizationId, organizationName } = opened;
  const session = service.withKey(sessionToken);
  try {
    const apiKey = await makeKey(session, {
      name: keyName?.trim() || 'CLI key that may publish',
      scopes: ['presentations:write', 'presentations:read', 'marketplace:publish'],
      expiresInDays,
    });
    return { organizationId, organizationName, apiKey };
  } finally {
    await endSession(session, terminal);
    session.close();
  }
}

/** When the answer with the raw key is lost, nobody has the key. It is revoked, and another one is made. */
async function makeKey(session: DeckService, wanted: NewKey): Promise<LoginAnswer['apiKey']> {
  for (;;) {
    const { apiKey } = await session.post('createApiKey', wanted, { idempotencyKey: randomUUID() });
    const { raw, keyId } = apiKey;
    if (raw !== undefined) return { ...apiKey, raw };
    await session.post('revokeApiKey', { keyId });
  }
}

async function endSession(session: DeckService, terminal: Terminal): Promise<void> {
  try {
    await session.post('endDashboardSession', {}, { canRepeat: false });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // `unauthenticated`: the session has ended already, for example by a call whose answer was lost.
    if (error.code !== 'unauthenticated')
      terminal.warn('The dashboard session that made the key could not be ended. It expires within twelve hours.');
  }
}
