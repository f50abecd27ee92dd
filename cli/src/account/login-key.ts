import { randomUUID } from 'node:crypto';
import { commandLine } from '../command-line';
import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { deleteProfile, writeProfile, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import { findKey, listLiveKeys } from '../verbs/keys';
import { withDashboardSession } from './dashboard-session';
import { makeKeyWithRoom } from './room-for-key';
import type { Account } from './stored-key';

interface Login {
  email: string;
  code: string;
  keyName?: string;
  expiresInDays?: number;
  publish?: boolean;
  revoke?: string;
}

/**
 * Exchanges a login code for a key. A dashboard session makes it: only a session can make a key that may publish, show
 * the keys when there is no room for another one, and find a key whose answer was lost.
 */
export async function makeLoginKey(
  service: DeckService,
  profile: Profile,
  { email, code, keyName, expiresInDays, publish, revoke }: Login,
  terminal: Terminal,
): Promise<Account> {
  return withDashboardSession(service, { email, code }, terminal, async (session, opened) => {
    await revokeLostKey(session, profile);
    if (revoke !== undefined) {
      const { keyId } = await findKey(session, revoke);
      await session.post('revokeApiKey', { keyId });
    }
    const mark = randomUUID();
    const wanted = {
      name: keyName?.trim() || (publish ? 'CLI key that may publish' : 'CLI default key'),
      description: descriptionOf(mark),
      scopes: [
        ...(['presentations:write', 'presentations:read'] as const),
        ...(publish ? (['marketplace:publish'] as const) : []),
      ],
      expiresInDays,
    };
    await writeProfile({ ...profile, makingKey: mark });
    const keptPrefix = profile.key?.keyPrefix;
    const login = ['login', ...(publish ? ['--publish'] : []), '--email', email];
    const nextAction = ({ keyPrefix }: { keyPrefix: string }) =>
      `Revoke one of them and log in with one new code: ${commandLine(...login, '--revoke', keyPrefix)}`;
    const apiKey = await makeKeyWithRoom(session, wanted, { keptPrefix, nextAction }, terminal).catch(
      async (error: unknown) => {
        if (isFailure(error) && error.status !== undefined && error.status < 500) await restore(profile);
        throw error;
      },
    );
    const { organizationId, organizationName } = opened;
    return { email, organizationId, organizationName, apiKey };
  });
}

const descriptionOf = (mark: string) => `Made by deck login (${mark})`;

/** Revokes the key that an interrupted login made and did not store. */
async function revokeLostKey(session: DeckService, { makingKey }: Profile): Promise<void> {
  if (makingKey === undefined) return;
  const lost = (await listLiveKeys(session)).find(({ description }) => description === descriptionOf(makingKey));
  if (lost) await session.post('revokeApiKey', { keyId: lost.keyId });
}

/** Undoes the mark when the service made no key. */
async function restore(profile: Profile): Promise<void> {
  if (profile.key) await writeProfile({ ...profile, makingKey: undefined });
  else await deleteProfile(profile.name);
}
