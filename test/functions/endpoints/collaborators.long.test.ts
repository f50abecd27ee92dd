import { randomUUID } from 'node:crypto';
import { collaboratorRef } from '../../../functions/src/records/collaborators';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { passSeconds } from '../../support/clock';
import { invite, push, recordOf, rowOf, rows, signUp } from '../../support/invitations';
import { deck, someone, startMailing } from '../../support/mailing';
import { storeDocuments } from '../../support/stored';
import { succeed, world } from '../../support/world';

/** Very many invitations of an address, and very many collaborators of a deck. */

startMailing('free', 'Plans <b>&</b>\r\nBcc: eve@example.org');

test('the list has all rows except for old revoked rows, which it does not read', async () => {
  const [kept, dev] = [someone(), await world.anOwner()];
  await succeed(invite(kept));
  await succeed(invite(dev.email));
  const revoked = (await (await rowOf(kept)).get()).data()!;
  const key = await recipientKey();
  const old = Array.from({ length: 600 }, (_, i) => {
    const email = `old-${i}@example.org`;
    const times = { invitedAt: new Date(Date.now() + 1000), revokedAt: new Date(i * 1000) };
    const { path } = collaboratorRef(key, deck.presentationId, email);
    return [path, { ...revoked, ...times, collaboratorId: email, email, status: 'revoked' }] as const;
  });
  await storeDocuments(world.database, old);
  const cost = await world.costOf(async () => {
    const listed = (await rows()).map(({ email, status }) => `${email} ${status}`);
    expect(listed.slice(0, 2)).toEqual([`${kept} pending`, `${dev.email} active`]);
    const newest = old.slice(100).map(([, { email }]) => `${email} revoked`);
    expect(listed.slice(2).sort()).toEqual(newest.sort());
  });
  expect(cost.roundTrips).toBeLessThanOrEqual(2 + 3);
  expect(cost.documentReads).toBeLessThanOrEqual(510);
});

describe('an address with very many invitations', () => {
  const email = someone();
  const pending = async () => {
    const { docs } = await world.database.collectionGroup('collaborators').get();
    const open = docs.filter((row) => row.get('email') === email && row.get('status') === 'pending');
    return open.map((row) => row.get('presentationId') as string);
  };

  test('accepts the newest at the next login and the others later; a broken or locked deck does not stop it', async () => {
    await succeed(invite(email));
    const [template, row] = [(await recordOf().get()).data()!, (await (await rowOf(email)).get()).data()!];
    const ids = Array.from({ length: 59 }, () => randomUUID());
    const key = await recipientKey();
    const documents = ids.flatMap((presentationId, i) => {
      const path = `presentations/${presentationId}`;
      const invitedAt = new Date(row['invitedAt'].toMillis() - 1000 * (i + 1));
      const invitation = { ...row, presentationId, invitedAt, toldOf: invitedAt };
      // The record of the first deck is invalid.
      const deckRecord = { ...template, presentationId, ...(i === 0 && { title: 7 }) };
      return [[path, deckRecord] as const, [collaboratorRef(key, presentationId, email).path, invitation] as const];
    });
    await storeDocuments(world.database, documents);
    const dev = await world.database.runTransaction(async (tx) => {
      // This transaction locks the second deck during the whole login.
      await tx.get(world.database.doc(`presentations/${ids[1]}`));
      return signUp(email);
    });
    expect((await push(dev.key)).status).toBe(200);
    expect(await pending()).toEqual(expect.arrayContaining([ids[0], ...ids.slice(49)]));

    // The number of invitations that one login accepts depends on the machine, so the test only demands progress.
    for (let logins = 0; logins < 5 && (await pending()).length > 1; logins++) {
      passSeconds(31);
      await succeed(world.call('cliRequestLoginOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
      await succeed(world.call('cliCompleteLogin', { email, code: await world.mailedCode(email) }));
    }
    expect(await pending()).toEqual([ids[0]]);
  });
});
