import { status } from '@grpc/grpc-js';
import { DamagedData, DiskError } from '../data/errors';

/** An error that the client receives as the gRPC status `code` with `message`, in the cloud's wording. */
export class RpcError extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

export const invalidArgument = (message: string) => new RpcError(status.INVALID_ARGUMENT, message);
export const notFound = (message: string) => new RpcError(status.NOT_FOUND, message);
export const alreadyExists = (message: string) => new RpcError(status.ALREADY_EXISTS, message);
export const failedPrecondition = (message: string) => new RpcError(status.FAILED_PRECONDITION, message);
export const aborted = (message: string) => new RpcError(status.ABORTED, message);
export const cancelled = () => new RpcError(status.CANCELLED, 'The call was cancelled by its client.');
export const unavailable = () => new RpcError(status.UNAVAILABLE, 'The server is closing.');
export const unimplemented = (message: string) => new RpcError(status.UNIMPLEMENTED, message);

/**
 * The status for a thrown value: that of an RpcError, INTERNAL for an unknown value. The SDK retries transactions after
 * INTERNAL, UNAVAILABLE and RESOURCE_EXHAUSTED for many seconds. It retries after neither FAILED_PRECONDITION (the disk
 * is full: no retry helps until somebody has freed space) nor DATA_LOSS (a record is damaged).
 */
export function toStatus(error: unknown): { code: status; details: string } {
  if (error instanceof RpcError) return { code: error.code, details: error.message };
  if (error instanceof DiskError) return { code: status.FAILED_PRECONDITION, details: error.message };
  if (error instanceof DamagedData) return { code: status.DATA_LOSS, details: error.message };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}
