import { config } from '../../config';
import { currentContext, type Context } from '../../context';
import { logWarning } from '../../log';
import * as sdkClient from './sdk-client';
import * as smallClient from './small-client';
import type { UpdateTime } from './messages';
import type { DocumentWrite, ReadOptions } from './small-client';
import { ProtocolError } from './status';
import type { Fields } from './values';

export type { DocumentWrite, UpdateTime };

/**
 * Reads and commits outside of transactions. A small client of two calls makes them: it needs a third of the processor
 * time of the Admin SDK, and it is all that a viewer loads. With `FIRESTORE_CLIENT=sdk` the Admin SDK makes them. It
 * also does when the small client and the database do not understand each other, for the life of the instance.
 */
let isGivenUp = false;
const usesSdk = () => isGivenUp || config.firestoreClient() === 'sdk';

function giveUp(error: ProtocolError): void {
  if (!isGivenUp) logWarning('The small database client is replaced by the Admin SDK.', error);
  isGivenUp = true;
}

/**
 * Reads documents. Returns the fields by path, undefined for a document that does not exist. Reads again after
 * transient errors. An error has its gRPC code.
 */
export async function getDocuments(
  paths: readonly string[],
  options: ReadOptions = {},
): Promise<Map<string, Fields | undefined>> {
  if (usesSdk()) return sdkClient.getDocuments(paths, options);
  try {
    return await smallClient.getDocuments(paths, options);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    giveUp(error);
    return sdkClient.getDocuments(paths, options);
  }
}

/**
 * Writes documents in one commit: all of them or none. It is repeated when it met the lock of a transaction, and not by
 * the Admin SDK when the database may have applied it. An error has its gRPC code.
 */
export async function commitDocuments(
  writes: readonly DocumentWrite[],
  context: Context | undefined = currentContext(),
): Promise<void> {
  if (usesSdk()) return sdkClient.commitDocuments(writes, context);
  try {
    await smallClient.commitDocuments(writes, context);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    giveUp(error);
    if (!error.isUnprocessed) throw error;
    await sdkClient.commitDocuments(writes, context);
  }
}
