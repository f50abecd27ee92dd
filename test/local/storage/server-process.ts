import { startStorage } from '../../../local/storage';
import { BUCKET } from './bucket-name';

/** A process of its own, to be killed: says its address on standard output once it answers. */
async function main(): Promise<void> {
  const { url } = await startStorage({ dataDir: process.argv[2]!, buckets: [BUCKET] });
  process.stdout.write(`${url}\n`);
}

void main();
