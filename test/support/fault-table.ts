import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import type { Fault } from './faults';

export type Backend = 'Firestore' | 'Storage' | 'Auth' | 'Resend';

/** The status of an answer, or that the connection was closed in the middle of the answer. */
export type Outcome = number | 'cut off';

export interface FaultRow {
  backend: Backend;
  call: string;
  fault: Fault;
  /** The status of a call of which one attempt meets the fault. Undefined where it was not measured. */
  once: Outcome | undefined;
  /** The status of a call of which every attempt meets the fault. */
  always: Outcome | undefined;
}

const file = join(projectRoot, 'docs', 'faults.md');

const INTRODUCTION = `# What a fault of a backend does to a call

\`test/functions/faults.long.test.ts\` plays each fault in a proxy between the functions and each backend, and \`npm run faults\`
writes this table from its measurements. "Once" means that one attempt meets the fault. "Lasting" means that every
attempt meets it. 500 is the error \`internal\` (\`INTERNAL\` for one-time codes), logged with the severity ERROR.

The test also holds for every endpoint: a call ends in bounded time, neither its answer nor a log line holds a key or a
link, no address gets a second mail, and the same call succeeds when the fault has ended.

## Time limits

| backend | attempt | call with retries | repeated |
|---|--:|--:|---|
| Firestore | 12 s | 40 s | reads; writes that were refused; transactions, with a receipt |
| Storage | 12 s without progress | 40 s without progress | every call: all of them are idempotent |
| Auth | 12 s | 40 s | finding or creating the identity of an address |
| Resend | 45 s | 45 s | every call, under the same idempotency key |

\`ATTEMPT_TIMEOUT_MS\`, \`CALL_TIMEOUT_MS\` and \`MAIL_PATIENCE_SECONDS\` in \`functions/.env\` change the limits. Every limit
ends 5 seconds before the function's own time, too. There are at most 3 attempts, with pauses of random length
(transactions and queries: as the Admin SDK decides). A slow client is not a fault: the limit of a view counts only
while the service waits for the bucket.

Files are read in blocks of 1 MiB. When the bucket fails during a block, the service continues behind the
last byte. After 3 failures without a byte it answers 500 when it has sent nothing, and closes the connection when it
has. Both are logged as ERROR. A viewer that closes the connection is not. A missing object is a 404 and a WARNING.

## Measured answers

| backend | call | fault | once | lasting |
|---|---|---|--:|--:|
`;

/** The measurements of docs/faults.md. */
export class FaultTable {
  private readonly rows: FaultRow[] = [];

  add(...rows: FaultRow[]): void {
    this.rows.push(...rows);
  }

  markdown(): string {
    const key = ({ backend, call }: FaultRow) => `${backend} ${call}`;
    const rows = [...this.rows].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    const line = ({ backend, call, fault, once, always }: FaultRow) =>
      `| ${[backend, call, fault, String(once ?? ''), String(always ?? '')].join(' | ')} |\n`;
    return INTRODUCTION + rows.map(line).join('');
  }

  /** The stored text of docs/faults.md. With UPDATE_FAULTS the document is written first. */
  document(): string {
    if (process.env['UPDATE_FAULTS']) writeFileSync(file, this.markdown());
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}
