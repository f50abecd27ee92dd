import { startLocalCloud } from '../../../../local';
import { startFirestore, type IndexFile } from '../../../../local/firestore';
import { freePorts } from '../../../../local/ports';

/**
 * Runs the local cloud without functions in a separate process: `cloud <data folder>`. With indexes as JSON after the
 * folder, it runs Firestore alone. Prints the addresses as JSON, or the message of the error.
 */
const [dataDir, indexes] = process.argv.slice(2) as [string, string | undefined];
const starting = indexes
  ? startFirestore({ dataDir, indexes: JSON.parse(indexes) as IndexFile })
  : startLocalCloud({ dataDir, ports: freePorts, loadFunctions: () => Promise.resolve({}) });
starting.then(
  (started) => console.log(JSON.stringify(started)),
  (error: Error) => console.log(error.message),
);
