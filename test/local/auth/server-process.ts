import { startAuth } from '../../../local/auth';
import { startMail } from '../../../local/mail';

/** Runs Auth and mail in a separate process that tests can kill. Prints their addresses when they answer. */
async function main(): Promise<void> {
  const dataDir = process.argv[2]!;
  const [auth, mail] = await Promise.all([startAuth({ dataDir, project: 'demo-decks' }), startMail({ dataDir })]);
  process.stdout.write(`${JSON.stringify({ host: auth.host, url: mail.url })}\n`);
}

void main();
