import { Failure } from '../failure';
import { plain } from '../format';
import { wrongField } from './check-answer';
import type { Contract } from './contract';
import type { Incoming } from './transport';

interface Envelope {
  success: boolean;
  data?: unknown;
  error?: unknown;
}

/** `data` of a success. Throws every other answer as a failure, and an answer whose fields do not have their form. */
export function readAnswer<N extends keyof Contract>(
  call: N,
  incoming: Incoming,
  baseUrl: string,
): Contract[N]['answer'] {
  const { status } = incoming;
  const envelope = parseEnvelope(incoming.bytes);
  if (envelope?.success !== true || status < 200 || status >= 300) throw refusal(incoming, baseUrl);
  const wrong = wrongField(call, envelope.data);
  if (wrong === undefined) return envelope.data as Contract[N]['answer'];
  throw unexpectedAnswer(`${baseUrl} answered ${call} with an unexpected field: ${wrong}.`, incoming);
}

/** The failure for an answer that is not a success. */
export function refusal(incoming: Incoming, baseUrl: string): Failure {
  const { status, headers } = incoming;
  const error = readError(parseEnvelope(incoming.bytes)?.error);
  if (!error)
    return unexpectedAnswer(`${baseUrl} answered ${status}, but not as the presentation service does.`, incoming);
  const { message, ...rest } = error;
  return new Failure(message, { ...rest, requestId: rest.requestId ?? requestIdOf(headers), status });
}

/** The texts of an error, each on one line and without control characters. Undefined when it is no error. */
function readError(error: unknown) {
  const { code, message, nextAction, requestId, details } = (error ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || !/^[\w-]{1,64}$/.test(code) || typeof message !== 'string') return undefined;
  const lineOf = (text: unknown) => (typeof text === 'string' ? plain(text) : undefined);
  return {
    code,
    message: plain(message),
    nextAction: lineOf(nextAction),
    requestId: lineOf(requestId),
    details: typeof details === 'object' && details !== null ? details : undefined,
  };
}

function requestIdOf(headers: Incoming['headers']): string | undefined {
  const id = headers['x-request-id'];
  return id === undefined ? undefined : plain(id);
}

/** The failure for something that does not answer as the service does. */
export function unexpectedAnswer(message: string, { status, headers }: Omit<Incoming, 'bytes'>): Failure {
  return new Failure(message, {
    code: 'unexpected-answer',
    nextAction: 'Check the address of the service, or try again later.',
    requestId: requestIdOf(headers),
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
