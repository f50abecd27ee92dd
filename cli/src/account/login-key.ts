import { randomUUID } from 'node:crypto';
import { commandLine } from '../command-line';
import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { deleteProfile, marksOfOthers, writeProfile, type KeyMark, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import { findKey, listLiveKeys } from '../verbs/keys';
import { withDashboardSession } from './dashboard-session';
import { defaultKeyName } from './key-name';
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
    const { organizationId, organizationName } = opened;
    const ofOthers = await revokeLostKeys(session, organizationId, profile);
    if (revoke !== undefined) {
      const { keyId } = await findKey(session, revoke);
      await session.post('revokeApiKey', { keyId });
    }
    const mark = randomUUID();
    const wanted = {
      name: keyName?.trim() || defaultKeyName({ publish }),
      description: descriptionOf(mark),
      scopes: [
        ...(['presentations:write', 'presentations:read'] as const),
        ...(publish ? (['marketplace:publish'] as const) : []),
      ],
      expiresInDays,
    };
    await writeProfile({ ...profile, makingKeys: [...ofOthers, { mark, organizationId }] });
    const keptPrefix = profile.key?.keyPrefix;
    const login = ['login', ...(publish ? ['--publish'] : []), '--email', email];
    const nextAction = ({ keyPrefix }: { keyPrefix: string }) =>
      `Revoke one of them and log in with one new code: ${commandLine(...login, '--revoke', keyPrefix)}`;
    const apiKey = await makeKeyWithRoom(session, wanted, { keptPrefix, nextAction }, terminal).catch(
      async (error: unknown) => {
        if (isFailure(error) && error.status !== undefined && error.status < 500)
          await restore({ ...profile, makingKeys: ofOthers });
        throw error;
      },
    );
    return { email, organizationId, organizationName, apiKey };
  });
}

const descriptionOf = (mark: string) => `Made by deck login (${mark})`;

/**
 * Revokes the keys that interrupted logins to this organization made and did not store. Returns the marks of the other
 * organizations: this session does not see their keys.
 */
async function revokeLostKeys(
  session: DeckService,
  organizationId: string,
  { makingKeys = [] }: Profile,
): Promise<KeyMark[]> {
  if (makingKeys.length === 0) return [];
  const marks = new Set(makingKeys.map(({ mark }) => descriptionOf(mark)));
  for (const { keyId, description } of await listLiveKeys(session))
    if (description !== null && marks.has(description)) await session.post('revokeApiKey', { keyId });
  return marksOfOthers(makingKeys, organizationId);
}

/** Undoes the mark when the service made no key. */
async function restore(profile: Profile): Promise<void> {
  if (profile.key ?? profile.makingKeys?.length) await writeProfile(profile);
  else await deleteProfile(profile.name);
}
