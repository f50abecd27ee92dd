import { Firestore } from 'firebase-admin/firestore';

/** A client in a process of its own: `client increment <times>` or `client hold`; prints what it has reached. */
const db = new Firestore({ projectId: 'demo-decks' });
const [task, times] = process.argv.slice(2);
const counter = db.doc('shared/counter');

async function increment(): Promise<void> {
  await Promise.all(
    Array.from({ length: Number(times) }, () =>
      db.runTransaction(async (transaction) => {
        const n = (await transaction.get(counter)).get('n') as number;
        transaction.update(counter, { n: n + 1 });
      }),
    ),
  );
  console.log('done');
  await db.terminate();
}

async function hold(): Promise<void> {
  await db.runTransaction(async (transaction) => {
    await transaction.get(counter);
    await transaction.get(db.collection('shared').where('n', '>', 0));
    console.log('holding');
    await new Promise((resolve) => setInterval(resolve, 2 ** 30));
  });
}

void (task === 'hold' ? hold() : increment());
