import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { collaboratorRow } from '../../functions/src/contract/fields';
import { collaboratorRef } from '../../functions/src/records/collaborators';
import { recipientKey } from '../../functions/src/records/recipient-key';
import { call, deck } from './mailing';
import { succeed, type Account, world } from './world';

type Row = z.output<typeof collaboratorRow>;

export const invite = (email: string, more: object = {}) =>
  call<{ collaborator: Row }>('inviteCollaborator', { email, ...more });
export const uninvite = (body: object) => call<{ collaborator: Row }>('uninviteCollaborator', body);
/** The collaborators of the deck. */
export const rows = async () => (await succeed(call<{ collaborators: Row[] }>('listCollaborators'))).collaborators;
/** A call that a dev of the deck may make. */
export const push = (key: string) => call('precheckAssets', { hashes: [] }, key);
export const recordOf = (path = '') => world.database.doc(`presentations/${deck.presentationId}${path}`);
export const rowOf = async (email: string) =>
  world.database.doc(collaboratorRef(await recipientKey(), deck.presentationId, email).path);

/** Requests a code for signing up, and returns the input that uses it. */
export async function aSignup(email: string) {
  await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
  return { email, code: await world.mailedCode(email), user: { firstName: 'Dev', lastName: 'Eloper' } };
}

export async function signUp(email: string): Promise<Pick<Account, 'key'>> {
  const input = await aSignup(email);
  return { key: (await succeed(world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', input))).apiKey.raw };
}
