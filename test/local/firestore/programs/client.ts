import { Firestore } from 'firebase-admin/firestore';

/**
 * A client in a separate process: `client increment <times>`, `client hold`, `client load <collection>`. Prints its
 * progress.
 */
const db = new Firestore({ projectId: 'demo-decks' });
const [task, detail = ''] = process.argv.slice(2);
const counter = db.doc('shared/counter');

async function increment(): Promise<void> {
  await Promise.all(
    Array.from({ length: Number(detail) }, () =>
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

/** Eight writers commit three documents at a time. Prints the number of each commit after its acknowledgement. */
async function load(): Promise<void> {
  let attempted = 0;
  const write = async (): Promise<never> => {
    for (;;) {
      const k = attempted++;
      const batch = db.batch();
      for (const part of ['a', 'b', 'c']) batch.set(db.doc(`${detail}/${k}${part}`), { k, text: 'x'.repeat(500) });
      await batch.commit();
      console.log(k);
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
}

void { increment, hold, load }[task as 'load']();
