import { constants, type IncomingHttpHeaders } from 'node:http2';

/** The codes of gRPC that the service names. */
export const status = {
  cancelled: 1,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** The error of a call, with a code of gRPC. */
export class GrpcError extends Error {
  constructor(
    readonly code: number,
    details: string,
    /** Whether the server has promised that it has not begun the call. */
    readonly isUnprocessed = false,
  ) {
    super(`gRPC ${code}: ${details}`);
  }
}

/**
 * The server does not speak the protocol as this client does: it sent a frame or a message that the client cannot read,
 * or ended a stream in a way that gRPC does not name.
 */
export class ProtocolError extends GrpcError {
  constructor(details: string, isUnprocessed = false) {
    super(status.internal, details, isUnprocessed);
  }
}

/** How the HTTP/2 stream of a call ended. */
export interface StreamEnd {
  /** The headers of the answer. When they are all of the answer, they have the status. */
  headers: IncomingHttpHeaders | undefined;
  trailers: IncomingHttpHeaders | undefined;
  /** The code with which one of the two sides reset the stream; 0 when it was not reset. */
  resetCode: number | undefined;
  isConnected: boolean;
}

/** The errors of HTTP/2 that say that the two sides understand it differently. */
const misunderstandings: readonly unknown[] = [
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
  constants.NGHTTP2_HTTP_1_1_REQUIRED,
];

/** The error of a call whose stream has ended. Undefined for a call that succeeded. */
export function errorOf({ headers, trailers, resetCode, isConnected }: StreamEnd): GrpcError | undefined {
  const sent = trailers?.['grpc-status'] === undefined ? headers : trailers;
  const code = sent?.['grpc-status'];
  if (code === '0') return undefined;
  if (code !== undefined) return new GrpcError(Number(code), decoded(String(sent!['grpc-message'] ?? '')));
  if (resetCode === constants.NGHTTP2_REFUSED_STREAM)
    return new GrpcError(status.unavailable, 'The server refused the stream.', true);
  const httpStatus = headers?.[':status'] as number | undefined;
  if (httpStatus !== undefined && httpStatus !== 200) return errorOfHttp(httpStatus);
  if (misunderstandings.includes(resetCode)) return new ProtocolError(`The stream was reset with code ${resetCode}.`);
  if (!isConnected) return new GrpcError(status.unavailable, 'The connection was lost.');
  if (resetCode === constants.NGHTTP2_CANCEL) return new GrpcError(status.cancelled, 'The server cancelled the call.');
  if (resetCode === constants.NGHTTP2_ENHANCE_YOUR_CALM)
    return new GrpcError(status.resourceExhausted, 'The server asked for fewer calls.');
  if (resetCode) return new GrpcError(status.internal, `The server reset the stream with code ${resetCode}.`);
  return new ProtocolError('The stream ended without a status.');
}

/** The message of a status. It is percent-encoded, and a malformed one is shown as it is. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** The error for an answer of a proxy that does not speak gRPC, with the codes of its specification. */
function errorOfHttp(httpStatus: number): GrpcError {
  const details = `HTTP status ${httpStatus}`;
  if (httpStatus === 401) return new GrpcError(status.unauthenticated, details);
  if (httpStatus === 403) return new GrpcError(status.permissionDenied, details);
  if ([429, 502, 503, 504].includes(httpStatus)) return new GrpcError(status.unavailable, details);
  return new ProtocolError(details);
}
