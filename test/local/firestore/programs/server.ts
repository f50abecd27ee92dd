import { startFirestore } from '../../../../local/firestore';

/** A server in a separate process: `server <data folder> <port>`. Prints its port when it answers. */
const [dataDir, port] = process.argv.slice(2) as [string, string];
startFirestore({ dataDir, port: Number(port) }).then(
  (server) => {
    console.log(server.port);
    process.once('SIGTERM', () => void server.close());
  },
  (error: Error) => {
    console.log(error.message);
    process.exitCode = 1;
  },
);
