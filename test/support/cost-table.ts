import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import { requestLineOf } from './request-lines';
import type { World } from './world';

type Cost = Awaited<ReturnType<World['costOf']>>;

interface Row extends Cost {
  endpoint: string;
  situation: string;
}

const file = join(projectRoot, 'docs', 'costs.md');

const INTRODUCTION = `# What each endpoint costs

Measured by \`test/functions/endpoints/costs.test.ts\` at the local cloud and written by \`npm run costs\`. A round trip is a call of Firestore; documents are
those that Firestore bills (a document that is missing, and a query without results, are one read). Calls of the bucket are counted apart; mails
and the identity provider are not counted. An endpoint with a key or session pays for it in its row: a read. The
use of a key is noted with one more write, once a minute for each instance and key, which runs beside the work. The rows are single requests. Requests
that an instance serves at the same time share round trips: a document that several of them read is read once, and their views are counted with one
write for each counter (decision 33). "Warm" is an instance that has served the file before. \`deletePresentation\` costs more than other calls
of an owner: it empties every collection of the deck, counts what it removes, and answers when nothing is left. The rows of scheduled
functions are one run: \`foldMarketplaceCounters\` runs every minute, the others every 10 or 60 minutes.

| endpoint | case | round trips | documents read | documents written | bucket calls |
|---|---|--:|--:|--:|--:|
`;

/** The measurements of docs/costs.md. */
export class CostTable {
  readonly #rows: Row[] = [];

  constructor(private readonly world: () => World) {}

  /** Runs one request and records its cost. Fails when the request's log line and the database count differently. */
  async measure(endpoint: string, situation: string, work: () => Promise<unknown>): Promise<Cost> {
    let answer: unknown;
    const cost = await this.world().costOf(async () => (answer = await work()));
    this.#rows.push({ endpoint, situation, ...cost });
    const requestId = (answer as { headers?: Headers } | undefined)?.headers?.get('x-request-id');
    if (requestId) {
      const { databaseReads, databaseWrites } = await requestLineOf(requestId);
      expect([databaseReads, databaseWrites]).toEqual([cost.documentReads, cost.documentWrites]);
    }
    return cost;
  }

  get endpoints(): Set<string> {
    return new Set(this.#rows.map(({ endpoint }) => endpoint));
  }

  markdown(): string {
    const rows = [...this.#rows].sort((a, b) => (a.endpoint < b.endpoint ? -1 : a.endpoint > b.endpoint ? 1 : 0));
    return INTRODUCTION + rows.map(markdownRow).join('');
  }

  /** The stored text of docs/costs.md. With UPDATE_COSTS the document is written first. */
  document(): string {
    if (process.env['UPDATE_COSTS']) writeFileSync(file, this.markdown());
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}

function markdownRow({ endpoint, situation, roundTrips, documentReads, documentWrites, storageCalls }: Row): string {
  const cells = [`\`${endpoint}\``, situation, roundTrips, documentReads, documentWrites, storageCalls];
  return `| ${cells.join(' | ')} |\n`;
}
