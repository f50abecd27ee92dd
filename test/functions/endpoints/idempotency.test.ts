import { passSeconds } from '../../support/clock';
import { page, succeed, World, type Account, type DeckFile } from '../../support/world';

let world: World;
let owner: Account;
let stranger: Account;

beforeAll(async () => {
  world = await World.start();
  [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
});
afterAll(() => world.stop());

describe('Idempotency-Key', () => {
  const retry = (key: string, fields: Record<string, unknown>, files: DeckFile[] = [page()]) =>
    world.commit<Record<string, unknown>>(owner, fields, files, { headers: { 'idempotency-key': key } });

  test('lets a retried commit make one deck, and a replay has no raw token', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const first = await retry('k1', { sessionId, title: 'x' });
    const again = await retry('k1', { sessionId, title: 'x' });
    const { token, shareUrl, ...rest } = first.data;
    expect(shareUrl).toContain(token);
    expect(again.data).toEqual(rest);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const records = await world.database.collection('idempotencyRecords').get();
    expect(records.docs.some((document) => JSON.stringify(document.data()).includes(String(token)))).toBe(false);
  });

  test('lets parallel retries of an update make one version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => retry('k2', { presentationId })));
    expect(new Set(answers.map(({ data }) => data['version']))).toEqual(new Set([2]));
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed')).length).toBe(4);
  });

  test('replays for a day, and then makes the call again', async () => {
    const { presentationId } = await world.aDeck(owner);
    const commit = () => retry('for-a-day', { presentationId });
    expect((await commit()).data['version']).toBe(2);
    passSeconds(24 * 3600 - 1);
    expect((await commit()).data['version']).toBe(2);
    passSeconds(2);
    expect((await commit()).data['version']).toBe(3);
  });

  test('with another body is a conflict, and is a different key for another caller', async () => {
    const { presentationId } = await world.aDeck(owner);
    await succeed(retry('k3', { presentationId, message: 'a' }));
    const other = await retry('k3', { presentationId, message: 'b' });
    expect([other.status, other.error.code]).toEqual([409, 'conflict']);
    const theirs = await world.aDeck(stranger);
    const { data } = await world.commit(stranger, { presentationId: theirs.presentationId, message: 'a' }, [page()], {
      headers: { 'idempotency-key': 'k3' },
    });
    expect(data.presentationId).toBe(theirs.presentationId);
  });

  test('replays a commit although the commit itself has replaced its base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const first = await succeed(retry('k4', { presentationId, expectedBaseVersion: 1 }));
    const again = await retry('k4', { presentationId, expectedBaseVersion: 1 });
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
  });

  test('does not replay to a caller who may not act on the deck any more', async () => {
    const { presentationId } = await world.aDeck(owner);
    await world.addMember({ presentationId }, stranger);
    const commit = () =>
      world.commit(stranger, { presentationId }, [page()], { headers: { 'idempotency-key': 'of-a-dev' } });
    await succeed(commit());
    await succeed(commit());
    const stored = world.database.doc(`presentations/${presentationId}`);
    await stored.update({ memberIds: [(await stored.get()).get('ownerId')] });
    const { status, error, headers } = await commit();
    expect([status, error.code, headers.get('idempotency-replayed')]).toEqual([403, 'permission-denied', null]);
  });

  test('does not replay for a deleted deck', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const addToken = () =>
      world.call(
        'addPresentationToken',
        { presentationId, tokenName: 'x' },
        { key: owner.key, headers: { 'idempotency-key': 'k6' } },
      );
    const calls = [
      () => retry('k5', { sessionId, title: 'x' }),
      () => retry('k6', { presentationId, expectedBaseVersion: 1 }),
      addToken,
    ];
    for (const call of calls) expect((await call()).status).toBe(200);
    for (const call of calls) expect((await call()).headers.get('idempotency-replayed')).toBe('true');
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    for (const call of calls) {
      const { status, error, headers } = await call();
      expect([status, error.code, headers.get('idempotency-replayed')]).toEqual([404, 'not-found', null]);
    }
  });

  test.each(['', 'x'.repeat(257), 'a b'])('%j is refused', async (key) => {
    const { presentationId } = await world.aDeck(owner);
    expect((await retry(key, { presentationId })).status).toBe(400);
  });
});
