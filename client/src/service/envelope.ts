import { Failure } from '../failure';
import type { Incoming } from './transport';

interface Envelope {
  success: boolean;
  data?: unknown;
  error?: { code: string; message: string; nextAction?: string; requestId?: string; details?: object };
}

/** `data` of a success. Throws every other answer as a failure. */
export function readAnswer<T>({ status, headers, bytes }: Incoming, baseUrl: string): T {
  const envelope = parseEnvelope(bytes);
  if (envelope?.success && status >= 200 && status < 300) return envelope.data as T;
  const requestId = envelope?.error?.requestId ?? headers['x-request-id'];
  if (envelope?.error) throw new Failure(envelope.error.message, { ...envelope.error, requestId, status });
  throw new Failure(`${baseUrl} answered ${status}, but not as the presentation service does.`, {
    code: 'unexpected-answer',
    nextAction: 'Check the address of the service, or try again later.',
    requestId,
    status,
  });
}

/** A 429 of the service without Retry-After is a limit that no wait lifts, such as the number of keys. */
export function isLimit({ status, headers, bytes }: Incoming): boolean {
  return status === 429 && headers['retry-after'] === undefined && parseEnvelope(bytes)?.success === false;
}

function parseEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && 'success' in value ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

/** The failure for a service that could not be reached. */
export function unreachable(baseUrl: string, code: string | undefined, cause: unknown): Failure {
  return new Failure(`No answer from ${new URL(baseUrl).host} (${code}).`, {
    code: 'unreachable',
    nextAction: 'Check the connection and the address of the service.',
    details: { baseUrl, reason: code },
    cause,
  });
}
