import { startAuth } from '../../../../local/auth';
import { startFirestore } from '../../../../local/firestore';
import { startMail } from '../../../../local/mail';
import { startStorage } from '../../../../local/storage';

/** Runs the parts that store data in a separate process: `parts <data folder>`. Prints their addresses as JSON. */
async function main(): Promise<void> {
  const dataDir = process.argv[2]!;
  const firestore = await startFirestore({ dataDir });
  const storage = await startStorage({ dataDir, buckets: ['decks'] });
  const auth = await startAuth({ dataDir, project: 'demo-decks' });
  const mail = await startMail({ dataDir });
  const addresses = { firestore: `127.0.0.1:${firestore.port}`, storage: storage.url, auth: auth.host, mail: mail.url };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);
}

void main();
