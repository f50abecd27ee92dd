// Stands for gcloud and firebase on PATH: passes its arguments and standard input to the test, and prints the answer.
const { Buffer } = require('node:buffer');
const { request } = require('node:http');
const { basename } = require('node:path');

const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
process.stdin.on('end', () => {
  const value = Buffer.concat(chunks).toString();
  const command = {
    program: basename(process.argv[1]),
    args: process.argv.slice(2),
    ...(value && { input: { value, shownAs: '' } }),
  };
  const call = request(`${process.env.STAND_IN}/run`, { method: 'POST' }, (response) => {
    const answer = [];
    response.on('data', (chunk) => answer.push(chunk));
    response.on('end', () => {
      const { status, stdout, stderr } = JSON.parse(Buffer.concat(answer).toString());
      process.stderr.write(stderr);
      process.stdout.write(stdout);
      process.exitCode = status;
    });
  });
  call.end(JSON.stringify(command));
});
