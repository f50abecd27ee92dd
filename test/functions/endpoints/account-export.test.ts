import type { getAccountExport } from '../../../functions/src/endpoints/account/getAccountExport';
import type { z } from 'zod';
import { passSeconds } from '../../support/clock';
import { exportedFiles, exportOf, unzip } from '../../support/exports';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { storedObjects } from '../../support/whole-store';
import { page, sha256, succeed, world, type Account } from '../../support/world';

/** Exports of accounts: who gets one, how often, and how its job goes on. */

type Export = z.output<(typeof getAccountExport)['definition']['answer']>;

const DAY = 86_400;
let owner: Account;
let session: string;
startWorldBehindGateway(() => Promise.resolve());
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
});

async function aCode(purpose = 'export'): Promise<string> {
  await succeed(world.call('requestAccountCode', { purpose, newEmail: 'x@example.org' }, { key: session }));
  return world.mailedCode(owner.email);
}
const ask = async (code: string, headers: Record<string, string> = {}) =>
  world.call<{ exportId: string; status: string }>('exportAccount', { code }, { key: session, headers });
const get = (exportId = 'latest', key = session) =>
  world.call<Export>('getAccountExport', undefined, { key, path: `/${exportId}` });

test('an account is exported with a code for it, once a week, and its parts can be downloaded in ranges', async () => {
  await world.aDeck(owner, [page('Exported')]);
  const { status, data } = await ask(await aCode());
  expect([status, data.status]).toEqual([202, 'waiting']);
  expect((await get()).data).toMatchObject({ ...data, parts: [], expiresAt: null, progress: { files: 0 } });
  await runJob('exportAccounts');
  const { data: ready } = await get(data.exportId);
  expect(ready).toMatchObject({ status: 'ready', progress: { decks: 1, decksInAll: 1, files: 1 } });
  const [part] = ready.parts;
  expect(ready.parts).toHaveLength(1);
  const ranges = [`bytes=0-99`, `bytes=100-`];
  const pieces = await Promise.all(ranges.map((range) => fetch(part!.url, { headers: { range } })));
  expect(pieces.map((piece) => piece.status)).toEqual([206, 206]);
  expect(pieces[0]!.headers.get('content-disposition')).toContain(part!.fileName);
  const bytes = Buffer.concat(await Promise.all(pieces.map(async (piece) => Buffer.from(await piece.arrayBuffer()))));
  expect([bytes.length, sha256(bytes)]).toEqual([part!.sizeBytes, part!.sha256]);
  expect([...(await unzip(bytes)).keys()]).toContain('index.html');
  passSeconds(31);
  const again = await ask(await aCode());
  expect([again.status, again.error.code]).toEqual([429, 'rate-limited']);
  expect(again.error.details).toMatchObject({ limit: 1, windowSeconds: 7 * DAY });
  passSeconds(7 * DAY);
  session = await world.aDashboardSession(owner);
  expect((await ask(await aCode())).status).toBe(202);
});

test('an export needs the code of an export, and only the session of its organization sees it', async () => {
  expect((await ask(await aCode('delete'))).error.code).toBe('OTP_PURPOSE_MISMATCH');
  expect((await get()).data).toMatchObject({ exportId: null, status: 'none', parts: [] });
  passSeconds(31);
  const code = await aCode();
  const key = { 'idempotency-key': 'once' };
  const { data } = await ask(code, key);
  const replay = await ask(code, key);
  expect([replay.data, replay.headers.get('idempotency-replayed')]).toEqual([data, 'true']);
  expect((await ask(code)).error.code).toBe('OTP_ALREADY_USED');
  const stranger = await world.aDashboardSession(await world.anOwner());
  expect((await get(data.exportId, stranger)).status).toBe(404);
  expect((await get(data.exportId, owner.key)).status).toBe(403);
});

test('an export that cannot be made is given up after 24 attempts: its user is told, and may ask again', async () => {
  const { presentationId } = await world.aDeck(owner, [page('Damaged')]);
  await world.database.doc(`presentations/${presentationId}/versions/1`).update({ title: 1 });
  await ask(await aCode());
  for (let attempt = 0; attempt < 24; attempt++) {
    await runJob('exportAccounts');
    expect(await exportOf(owner)).toMatchObject({ status: 'running', attempts: attempt + 1 });
    passSeconds(601);
  }
  await runJob('exportAccounts');
  expect((await get()).data).toMatchObject({ status: 'failed', parts: [] });
  expect(await storedObjects(`exports/${owner.organizationId}/`)).toEqual([]);
  await runJob('exportAccounts');
  expect((await world.mails(owner.email)).filter(({ subject }) => subject === 'Your export failed')).toHaveLength(1);
  expect((await ask(await aCode())).status).toBe(202);
});

test('the parts and the record are deleted after 7 days', async () => {
  await ask(await aCode());
  await runJob('exportAccounts');
  const prefix = `exports/${owner.organizationId}/`;
  expect(await storedObjects(prefix)).toHaveLength(1);
  // The job has nothing to do with it before.
  await runJob('exportAccounts');
  expect(await exportOf(owner)).toMatchObject({ status: 'ready', isTold: true });
  passSeconds(7 * DAY + 1);
  session = await world.aDashboardSession(owner);
  expect((await get()).data).toMatchObject({ exportId: null, status: 'none', parts: [] });
  await runJob('exportAccounts');
  expect([await storedObjects(prefix), await exportOf(owner)]).toEqual([[], undefined]);
});

test('a run that is cut off at a part leaves it to a later run, and adds nothing when it was not dead', async () => {
  await world.aDeck(owner, [page('Exported')]);
  await ask(await aCode());
  const isPart = ({ method, address }: { method: string; address: string }) =>
    method === 'POST' && address.includes(`exports/${owner.organizationId}/`);
  const held = gateway.hold('answer', isPart, 1);
  const first = runJob('exportAccounts');
  await meanwhile(held, first, async () => {
    // The first run has the export.
    await runJob('exportAccounts');
    expect(await exportOf(owner)).toMatchObject({ status: 'running', parts: [] });
    passSeconds(601);
    await runJob('exportAccounts');
    expect(await exportOf(owner)).toMatchObject({ status: 'ready', parts: [{}] });
  });
  expect((await exportOf(owner))!.parts).toHaveLength(1);
  expect([...(await exportedFiles(owner)).keys()]).toContain('index.html');
  // The part that nothing names goes with the others.
  expect(await storedObjects(`exports/${owner.organizationId}/`)).toHaveLength(2);
  passSeconds(7 * DAY + 601);
  await runJob('exportAccounts');
  expect(await storedObjects(`exports/${owner.organizationId}/`)).toEqual([]);
  const told = (await world.mails(owner.email)).filter(({ subject }) => subject === 'Your export is ready');
  expect(told).toHaveLength(1);
});
