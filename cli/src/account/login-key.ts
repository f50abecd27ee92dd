import { randomUUID } from 'node:crypto';
import { commandLine } from '../command-line';
import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { changeProfile, type KeyMark, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import { findKey, listLiveKeys } from '../verbs/keys';
import { withDashboardSession } from './dashboard-session';
import { defaultKeyName } from './key-name';
import { makeKeyWithRoom } from './room-for-key';
import type { EnteredCode } from './one-time-code';
import type { Account } from './stored-key';

interface Login extends EnteredCode {
  email: string;
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
  { email, code, requestToken, keyName, expiresInDays, publish, revoke }: Login,
  terminal: Terminal,
): Promise<Account> {
  return withDashboardSession(service, { email, code, requestToken }, terminal, async (session, opened) => {
    const { organizationId, organizationName } = opened;
    const lost = await revokeLostKeys(session, organizationId, profile);
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
    let isNew = false;
    await changeProfile(profile.name, (present) => {
      isNew = present === undefined;
      const { makingKeys = [], ...others } = present ?? profile;
      return { ...others, makingKeys: [...without(makingKeys, lost), { mark, organizationId }] };
    });
    const keptPrefix = profile.key?.keyPrefix;
    const login = ['login', ...(publish ? ['--publish'] : []), '--email', email];
    const nextAction = ({ keyPrefix }: { keyPrefix: string }) =>
      `Revoke one of them and log in with one new code: ${commandLine(...login, '--revoke', keyPrefix)}`;
    const apiKey = await makeKeyWithRoom(session, wanted, { keptPrefix, nextAction }, terminal).catch(
      async (error: unknown) => {
        if (isFailure(error) && error.status !== undefined && error.status < 500)
          await changeProfile(profile.name, (present) => undo(present, mark, isNew));
        throw error;
      },
    );
    return { email, organizationId, organizationName, apiKey, mark };
  });
}

const descriptionOf = (mark: string) => `Made by deck login (${mark})`;

/**
 * Revokes the keys that interrupted logins to this organization made and did not store. Returns their marks. This
 * session does not see the keys of other organizations.
 */
async function revokeLostKeys(
  session: DeckService,
  organizationId: string,
  { makingKeys = [] }: Profile,
): Promise<string[]> {
  const marks = makingKeys.filter((each) => each.organizationId === organizationId).map(({ mark }) => mark);
  if (marks.length === 0) return [];
  const descriptions = new Set(marks.map(descriptionOf));
  for (const { keyId, description } of await listLiveKeys(session))
    if (description !== null && descriptions.has(description)) await session.post('revokeApiKey', { keyId });
  return marks;
}

const without = (keys: readonly KeyMark[], marks: readonly string[]) =>
  keys.filter(({ mark }) => !marks.includes(mark));

/** Undoes the mark when the service made no key. A profile that only this login has made goes with it. */
function undo(profile: Profile | undefined, mark: string, isNew: boolean): Profile | undefined {
  if (!profile) return undefined;
  const makingKeys = without(profile.makingKeys ?? [], [mark]);
  return isNew && !profile.key && makingKeys.length === 0 ? undefined : { ...profile, makingKeys };
}
