import { randomUUID } from 'node:crypto';
import { Failure } from '../failure';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
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
 * Exchanges a login code for a key that may publish. Only a session of the dashboard makes such a key: it is opened for that and ended
 * whatever comes of it, and its token is kept nowhere.
 */
export async function loginToPublish(
  service: Service,
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
    await end(session, terminal);
    session.close();
  }
}

/** A key whose answer was lost on the way is known to the service and to nobody else: it is revoked, and another one made. */
async function makeKey(session: Service, wanted: NewKey): Promise<LoginAnswer['apiKey']> {
  for (;;) {
    const { apiKey } = await session.post('createApiKey', wanted, { idempotencyKey: randomUUID() });
    const { raw, keyId } = apiKey;
    if (raw !== undefined) return { ...apiKey, raw };
    await session.post('revokeApiKey', { keyId });
  }
}

async function end(session: Service, terminal: Terminal): Promise<void> {
  try {
    await session.post('endDashboardSession', {}, { canRepeat: false });
  } catch (error) {
    // Another call may have ended it whose answer was lost.
    if (!(error instanceof Failure)) throw error;
    if (error.code !== 'unauthenticated')
      terminal.warn('The session that made the key could not be ended; it ends by itself within twelve hours.');
  }
}
