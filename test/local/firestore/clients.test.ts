import { FieldValue } from 'firebase-admin/firestore';
import { buildPrograms } from './processes';
import { firestoreFixture } from './fixture';

const fixture = firestoreFixture();
const programs = buildPrograms();
const host = () => `127.0.0.1:${fixture.server.port}`;
const counter = () => fixture.db.doc('shared/counter');

test('every one of many concurrent transactions of several processes is counted', async () => {
  await counter().set({ n: 0 });
  const clients = [programs.client(host(), 'increment', '40'), programs.client(host(), 'increment', '40')];
  const own = Promise.all(Array.from({ length: 20 }, () => counter().update({ n: FieldValue.increment(1) })));
  expect(await Promise.all(clients.map((client) => client.nextLine()))).toEqual(['done', 'done']);
  await own;
  expect((await counter().get()).get('n')).toBe(100);
});

test("a client killed inside a transaction delays readers and writers by seconds, not by the transaction's lifetime", async () => {
  await counter().set({ n: 1 });
  const holder = programs.client(host(), 'hold');
  expect(await holder.nextLine()).toBe('holding');
  await holder.kill('SIGKILL');
  const since = performance.now();
  const reads = Promise.all(
    Array.from({ length: 5 }, () =>
      fixture.db.runTransaction(async (transaction) => {
        const n = (await transaction.get(counter())).get('n') as number;
        transaction.update(counter(), { n: n + 1 });
      }),
    ),
  );
  const phantom = fixture.db.doc('shared/other').set({ n: 5 });
  await Promise.all([reads, phantom]);
  expect((await counter().get()).get('n')).toBe(6);
  // A writer waits for 3 s of silence, plus the machine's own time. The transaction would expire after 60 s.
  expect(performance.now() - since).toBeLessThan(55_000);
});
