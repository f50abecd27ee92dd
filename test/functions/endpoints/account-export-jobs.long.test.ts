import { passSeconds } from '../../support/clock';
import { exportedFiles, exportOf } from '../../support/exports';
import { gateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { storedObjects } from '../../support/whole-store';
import { page, world } from '../../support/world';
import { DAY, owner, aCode, ask, get, startExporting } from './exporting';

/** Exports of accounts whose job fails, or is cut off. */

startExporting();

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
