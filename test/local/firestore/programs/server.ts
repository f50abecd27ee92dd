import { type IndexFile, startFirestore } from '../../../../local/firestore';

/**
 * A server in a separate process: `server <data folder> <port> [indexes as JSON]`. Prints its port when it answers.
 */
const [dataDir, port, indexes] = process.argv.slice(2) as [string, string, string | undefined];
const options = { dataDir, port: Number(port), ...(indexes && { indexes: JSON.parse(indexes) as IndexFile }) };
startFirestore(options).then(
  (server) => {
    console.log(server.port);
    process.once('SIGTERM', () => void server.close());
  },
  (error: Error) => {
    console.log(error.message);
    process.exitCode = 1;
  },
);
