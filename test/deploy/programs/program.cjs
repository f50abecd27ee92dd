// Stands for gcloud and firebase on PATH: passes its arguments and standard input to the test, and prints the answer.
const { readFileSync } = require('node:fs');
const { basename } = require('node:path');

const [program, args] = [basename(process.argv[1]), process.argv.slice(2)];
const value = readFileSync(0, 'utf8');
const body = JSON.stringify({ program, args, ...(value && { input: { value, shownAs: '' } }) });
fetch(`${process.env.STAND_IN}/run`, { method: 'POST', body })
  .then((response) => response.json())
  .then(({ status, stdout, stderr }) => {
    process.stderr.write(stderr);
    process.stdout.write(stdout);
    process.exitCode = status;
  });
