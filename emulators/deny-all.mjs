// Stands for Google's runtime of security rules in firebase-tools' Storage emulator. The emulator starts it as
// `java -jar <runtime> serve` and sends one JSON request a line. storage.rules denies everything, and so does this
// program. The functions do not depend on it: the emulator does not apply rules to the Admin SDK.
import { createInterface } from 'node:readline';

const send = (answer) =>
  process.stdout.write(`${JSON.stringify({ status: 'ok', errors: [], warnings: [], ...answer })}\n`);

if (process.argv.includes('-version')) {
  // firebase-tools asks for the version of Java before it starts an emulator that needs Java.
  console.error('openjdk version "21.0.0"');
} else {
  // The emulator waits for this answer before it sends requests.
  send({ id: -1 });
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, action } = JSON.parse(line);
    send({ id, result: action === 'load_ruleset' ? { rulesVersion: 2 } : { permit: false } });
  }
}
