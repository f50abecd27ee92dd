import { CommanderError } from 'commander';
import { optionsOf } from './options';
import { runDeploy } from './run';
import { findRoot } from './settings';
import { CANCELLED, realSurroundings } from './surroundings';

// A signal alone would end the process without its clean-ups. The terminal sends it to firebase and gcloud, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(CANCELLED));

async function main(): Promise<void> {
  try {
    const options = optionsOf(process.argv.slice(2));
    process.exitCode = await runDeploy(options, realSurroundings(findRoot(__dirname)));
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof RangeError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    } else throw error;
  }
}

void main();
