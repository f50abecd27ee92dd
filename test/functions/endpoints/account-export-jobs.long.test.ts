import { FIRST, readPlace, writePlace, type Place } from '../../../functions/src/exports/places';
import { walk } from '../../../functions/src/exports/walk';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { askForExport, exportedFiles, exportOf } from '../../support/exports';
import { gateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { storedObjects } from '../../support/whole-store';
import { page, world } from '../../support/world';
import { DAY, style, owner, aCode, anAccount, ask, get, startExporting } from './exporting';

/** Exports of accounts whose job fails, is cut off, or goes on behind one of its files. */

startExporting();

test('an export can go on behind each of its files, with the same files', async () => {
  const { owner } = await anAccount();
  await world.aDeck(owner, [page('Other'), style('c {}')], 'Another deck');
  passSeconds(60);
  const subject = await askForExport(owner);
  const from = async (place: Place) => {
    const found: { path: string; next: string }[] = [];
    for await (const { path, bytes, next } of walk(subject, place)) {
      if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array)) for await (const _ of bytes);
      found.push({ path, next: writePlace(next) });
    }
    return found;
  };
  const whole = (await from(FIRST)).map(({ path }) => path);
  expect(whole.length).toBeGreaterThan(20);
  for (const [i, { next }] of each(await from(FIRST)).entries()) {
    const rest = (await from(readPlace(next))).map(({ path }) => path);
    const expected = whole.slice(i + 1);
    expect(rest.slice(rest.length - expected.length)).toEqual(expected);
    // The small files at the start of the account and of a deck may come again.
    const again = rest.slice(0, rest.length - expected.length);
    expect(whole.slice(0, i + 1)).toEqual(expect.arrayContaining(again));
    expect(again.length).toBeLessThanOrEqual(3);
  }
});

// The clock of the database never goes back, so the tests that pass days come last.
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
