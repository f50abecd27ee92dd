import { startAuth } from '../../../local/auth';
import { startMail } from '../../../local/mail';

/** Auth and mail in a process of their own, to be killed: says where they are once they answer. */
async function main(): Promise<void> {
  const dataDir = process.argv[2]!;
  const [auth, mail] = await Promise.all([startAuth({ dataDir, project: 'demo-decks' }), startMail({ dataDir })]);
  process.stdout.write(`${JSON.stringify({ host: auth.host, url: mail.url })}\n`);
}

void main();
