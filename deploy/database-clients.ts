import { randomUUID } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import * as adminSdk from '../functions/src/records/firestore/sdk-client';
import * as smallClient from '../functions/src/records/firestore/small-client';
import { db } from '../functions/src/records/sdk';

type Client = Pick<typeof adminSdk, 'getDocuments' | 'commitDocuments'>;

/** A client that did something else than the service expects of it. */
export interface Difference {
  client: 'the Admin SDK' | 'the small client';
  message: string;
}

/** No function uses this collection. */
const COLLECTION = 'clientChecks';
const ALREADY_EXISTS = 6;
const NOT_FOUND = 5;

/**
 * Lets both database clients of the functions write, read and delete a document in a scratch collection of the
 * project's database. Each reads what the other wrote too, and a query and a count find both documents. Answers the
 * first difference. Leaves no document.
 */
export async function compareClients(): Promise<Difference | undefined> {
  const run = randomUUID();
  const paths = [`${COLLECTION}/${run}-sdk`, `${COLLECTION}/${run}-small`] as const;
  const missing = `${COLLECTION}/${run}-missing`;
  const fields = {
    run,
    text: 'plain, é and \u{1F600}',
    whole: 1,
    half: 1.5,
    isSet: true,
    nothing: null,
    at: new Date(1_700_000_000_123),
    bytes: Buffer.from([0, 1, 255]),
    list: ['a', 1, { b: null }],
    map: { 'a.b': 'c', '`': [] },
  };
  const stored = { ...fields, 'a.b': 'é', whole: 3, half: 1.75 };
  const added = { fields: { 'a.b': 'é' }, increments: { whole: 2, half: 0.25 }, isMerge: true };
  const query = db().collection(COLLECTION).where('run', '==', run).where('whole', '==', 3);
  const read = async ({ getDocuments }: Client, mask?: string[]) => {
    const found = await getDocuments([...paths, missing], { mask });
    return [...paths, missing].map((path) => found.get(path));
  };
  const create = ({ commitDocuments }: Client, path: string) =>
    commitDocuments([{ path, fields, exists: false }], undefined);

  const work: [what: string, act: (client: Client, path: string) => Promise<unknown>, expected: unknown][] = [
    ['a read of missing documents', (client) => read(client), [undefined, undefined, undefined]],
    ['the creation of a document', create, undefined],
    ['the creation of a document that exists', create, { refusal: ALREADY_EXISTS }],
    ['a change', ({ commitDocuments }, path) => commitDocuments([{ path, ...added }], undefined), undefined],
    [
      'a change of a missing document',
      ({ commitDocuments }) => commitDocuments([{ path: missing, fields, exists: true }], undefined),
      { refusal: NOT_FOUND },
    ],
    ['a read of both documents', (client) => read(client), [stored, stored, undefined]],
    ['a read of one field', (client) => read(client, ['a.b']), [{ 'a.b': 'é' }, { 'a.b': 'é' }, undefined]],
    ['a query', async () => (await query.get()).docs.map(({ ref }) => ref.path), [...paths]],
    ['a count', async () => (await query.count().get()).data().count, paths.length],
    ['a deletion', ({ commitDocuments }, path) => commitDocuments([{ path }], undefined), undefined],
    ['a read of deleted documents', (client) => read(client), [undefined, undefined, undefined]],
  ];
  try {
    for (const [what, act, expected] of work) {
      for (const [name, client, path] of [
        ['the Admin SDK', adminSdk, paths[0]],
        ['the small client', smallClient, paths[1]],
      ] as const) {
        const outcome = await act(client, path).catch(refusalOf);
        if (isDeepStrictEqual(outcome, expected)) continue;
        return { client: name, message: `${what} with ${name} gives ${shown(outcome)} instead of ${shown(expected)}` };
      }
    }
    return undefined;
  } finally {
    await adminSdk
      .commitDocuments(
        paths.map((path) => ({ path })),
        undefined,
      )
      .catch(() => undefined);
  }
}

const refusalOf = ({ code, message }: Error & { code?: number }) => ({ refusal: code ?? message });

const shown = (value: unknown) => inspect(value, { depth: 5, breakLength: Infinity, compact: true });
