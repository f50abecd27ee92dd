import { Connection } from '../../../functions/src/records/firestore/connection';

/** Makes a call over TLS and prints its answer: `secure-call <url>`. The connection stays open. */
void (async () => {
  const limits = { connectMs: 10_000, keepaliveMs: 10_000, pingMs: 10_000 };
  const connection = await Connection.open(process.argv[2]!, limits);
  await connection.call({
    path: '/test/Echo',
    headers: {},
    message: Buffer.from('over TLS'),
    signal: new AbortController().signal,
    receive: (message) => console.log(message.toString()),
  });
})();
