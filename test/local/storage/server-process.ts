import { startStorage } from '../../../local/storage';
import { BUCKET } from './bucket-name';

/** Runs the server in a separate process that tests can kill. Prints its address when it answers. */
async function main(): Promise<void> {
  const { url } = await startStorage({ dataDir: process.argv[2]!, buckets: [BUCKET] });
  process.stdout.write(`${url}\n`);
}

void main();
