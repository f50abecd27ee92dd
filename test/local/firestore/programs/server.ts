import { startFirestore } from '../../../../local/firestore';

/** A server in a process of its own: `server <data folder> <port>`; prints its port when it answers. */
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
