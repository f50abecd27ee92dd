import { closeDatabase } from '../functions/src/records/sdk';
import { runOperator } from './program';

/** The command behind `npm run operator`. */
async function main(): Promise<void> {
  // `npm run operator -- --help | head` closes the pipe early. Without a listener that would end in a stack trace.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  process.exitCode = await runOperator(process.argv.slice(2), {
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => process.stderr.write(text),
  });
  await closeDatabase();
}

void main();
