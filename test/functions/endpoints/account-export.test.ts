import { passSeconds } from '../../support/clock';
import { exportOf, unzip } from '../../support/exports';
import { runJob } from '../../support/jobs';
import { storedObjects } from '../../support/whole-store';
import { page, sha256, world } from '../../support/world';
import { DAY, owner, aCode, ask, get, renewSession, startExporting } from './exporting';

/** Exports of accounts: who gets one, how often, and how long it stays. */

startExporting();

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
  await renewSession();
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

test('the parts and the record are deleted after 7 days', async () => {
  await ask(await aCode());
  await runJob('exportAccounts');
  const prefix = `exports/${owner.organizationId}/`;
  expect(await storedObjects(prefix)).toHaveLength(1);
  // The job has nothing to do with it before.
  await runJob('exportAccounts');
  expect(await exportOf(owner)).toMatchObject({ status: 'ready', isTold: true });
  passSeconds(7 * DAY + 1);
  await renewSession();
  expect((await get()).data).toMatchObject({ exportId: null, status: 'none', parts: [] });
  await runJob('exportAccounts');
  expect([await storedObjects(prefix), await exportOf(owner)]).toEqual([[], undefined]);
});
