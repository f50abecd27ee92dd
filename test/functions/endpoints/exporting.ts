import type { getAccountExport } from '../../../functions/src/endpoints/account/getAccountExport';
import type { z } from 'zod';
import { startWorldBehindGateway } from '../../support/gateways';
import { succeed, world, type Account } from '../../support/world';

/** An owner who asks for exports of the account in a session. The bucket is behind a gateway. */

type Export = z.output<(typeof getAccountExport)['definition']['answer']>;

export const DAY = 86_400;
export let owner: Account;
let session: string;

/** Starts the world before the tests of this file. */
export function startExporting(): void {
  startWorldBehindGateway(() => Promise.resolve());
  beforeEach(async () => {
    owner = await world.anOwner();
    session = await world.aDashboardSession(owner);
  });
}

/** A new session, when the time of the former one is over. */
export async function renewSession(): Promise<void> {
  session = await world.aDashboardSession(owner);
}

export async function aCode(purpose = 'export'): Promise<string> {
  await succeed(world.call('requestAccountCode', { purpose, newEmail: 'x@example.org' }, { key: session }));
  return world.mailedCode(owner.email);
}

export const ask = async (code: string, headers: Record<string, string> = {}) =>
  world.call<{ exportId: string; status: string }>('exportAccount', { code }, { key: session, headers });
export const get = (exportId = 'latest', key = session) =>
  world.call<Export>('getAccountExport', undefined, { key, path: `/${exportId}` });
