import type { ServerResponse as Response } from 'node:http';
import { onRequest, type HttpsFunction, type HttpsOptions } from 'firebase-functions/https';
import { logger } from 'firebase-functions';
import type { z } from 'zod';
import { newId } from '../policy/ids';
import type { Scope } from '../policy/keys';
import type { DeckRole } from '../policy/presentation-access';
import { assertScope, authenticate, type Caller } from './authenticate';
import { assertDeclaredLength, JSON_BODY_LIMIT, readJsonBody } from './body';
import { setCorsHeaders } from './cors';
import { failInput, sendData, sendError } from './envelope';
import { fail, ServiceError, type ErrorCode } from '../policy/errors';
import { Idempotency } from './idempotency';
import { clientAddress, pathSegments, query, type Request } from './request';

/** Who may call: anyone, any live key, or a key with a scope; `deck` says what the key's user must be to the deck. */
export type CallerRule = 'anyone' | 'any-key' | { scope: Scope; deck?: DeckRole };

type Method = 'GET' | 'POST' | 'HEAD';

/** What stands on every endpoint, in the order in which a request meets it. */
interface Definition {
  name: string;
  method: Method | readonly Method[];
  caller: CallerRule;
  /** The codes that it answers beyond the common ones. */
  errors: readonly ErrorCode[];
  /** Options of the deployed function: memory, timeout, secrets. */
  runtime?: HttpsOptions;
}

export interface Call<Input, By> {
  input: Input;
  caller: By;
  /** The one time of this call: everything that it writes agrees on it. */
  now: Date;
  requestId: string;
  clientAddress: string;
  idempotency: Idempotency;
}

export interface EndpointDefinition<
  Input extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Rule extends CallerRule = CallerRule,
> extends Definition {
  method: 'GET' | 'POST';
  caller: Rule;
  /** Largest body in bytes; 16 MB unless said otherwise. */
  limit?: number;
  /** Names of the path segments behind the function's name; each may be sent as a query parameter instead. */
  path?: readonly string[];
  /** Reads a body that is no JSON. What it opens, it gives to `onEnd` to close. */
  read?: (request: Request, limit: number, onEnd: (close: () => Promise<void>) => void) => Promise<object>;
  input: Input;
  answer: Answer;
  handle(call: Call<z.output<Input>, Rule extends 'anyone' ? undefined : Caller>): Promise<z.input<Answer>>;
}

/** A request of an endpoint that answers something other than the envelope. */
export interface RawCall {
  request: Request;
  response: Response;
  now: Date;
  requestId: string;
}

export interface RawEndpointDefinition extends Definition {
  caller: 'anyone';
  handle(call: RawCall): Promise<void>;
  /** Answers an error in the endpoint's own form. */
  handleError(error: ServiceError, call: RawCall): void;
}

/** A deployed function that carries its own description. */
export type Endpoint<D extends Definition = Definition> = HttpsFunction & { definition: D };

/** An endpoint in the envelope: method → CORS → limit → caller → body → input → handle → answer. */
export function endpoint<Input extends z.ZodType, Answer extends z.ZodType, const Rule extends CallerRule>(
  definition: EndpointDefinition<Input, Answer, Rule>,
): Endpoint<EndpointDefinition<Input, Answer, Rule>> {
  const limit = definition.limit ?? JSON_BODY_LIMIT;

  async function handle({ request, response, now, requestId }: RawCall): Promise<void> {
    assertDeclaredLength(request, limit);
    const identity = definition.caller === 'anyone' ? undefined : await authenticate(request, now, logFault(requestId));
    const endings: (() => Promise<unknown>)[] = identity ? [() => identity.used] : [];
    try {
      if (identity && typeof definition.caller === 'object') assertScope(identity.caller, definition.caller.scope);
      const raw = await readInput(request, (close) => endings.push(close));
      const parsed = definition.input.safeParse(raw);
      if (!parsed.success) failInput(parsed.error, definition.method === 'GET' ? 'query' : 'body');
      const callerId = identity?.caller.userId ?? identity?.caller.keyId ?? '';
      const idempotency = Idempotency.of(request, definition.name, callerId, parsed.data, now);
      const answer = await definition
        .handle({
          input: parsed.data,
          caller: identity?.caller as Rule extends 'anyone' ? undefined : Caller,
          now,
          requestId,
          clientAddress: clientAddress(request),
          idempotency,
        })
        .catch(async (error: unknown) => {
          // A retry may fail because the first call succeeded: its session is gone. Then the first answer is the right one.
          const earlier = await idempotency.find();
          if (earlier === undefined) throw error;
          return earlier as z.input<Answer>;
        });
      if (idempotency.isReplay) response.setHeader('Idempotency-Replayed', 'true');
      // The platform takes the CPU away after the answer, so the bookkeeping ends before it.
      await Promise.all(endings.splice(0).map((end) => end()));
      sendData(response, answer);
    } finally {
      await Promise.all(endings.map((end) => end()));
    }
  }

  async function readInput(request: Request, onEnd: (close: () => Promise<void>) => void): Promise<object> {
    if (definition.read) return definition.read(request, limit, onEnd);
    if (definition.method === 'POST') return readJsonBody(request, limit);
    const segments = pathSegments(request) ?? fail('not-found');
    const named = (definition.path ?? []).map((name, i) => [name, segments[i]] as const).filter(([, value]) => value);
    return { ...Object.fromEntries(query(request)), ...Object.fromEntries(named) };
  }

  return deploy(definition, handle, (error, { response, requestId }) => sendError(response, error, requestId));
}

/** An endpoint that writes its own answers and errors; method, CORS, request id and logs are as everywhere. */
export function rawEndpoint(definition: RawEndpointDefinition): Endpoint<RawEndpointDefinition> {
  return deploy(
    definition,
    (call) => definition.handle(call),
    (error, call) => definition.handleError(error, call),
  );
}

function deploy<D extends Definition>(
  definition: D,
  handle: (call: RawCall) => Promise<void>,
  handleError: (error: ServiceError, call: RawCall) => void,
): Endpoint<D> {
  const methods = typeof definition.method === 'string' ? [definition.method] : definition.method;

  const serve = async (request: Request, response: Response): Promise<void> => {
    const call: RawCall = { request, response, now: new Date(), requestId: newId() };
    response.setHeader('X-Request-Id', call.requestId);
    setCorsHeaders(response, methods);
    if (request.method === 'OPTIONS') {
      response.statusCode = 204;
      response.end();
      return;
    }
    try {
      if (!(methods as readonly string[]).includes(request.method)) {
        response.setHeader('Allow', [...methods, 'OPTIONS'].join(', '));
        fail('method-not-allowed');
      }
      await handle(call);
    } catch (thrown) {
      const error =
        thrown instanceof ServiceError
          ? thrown
          : new ServiceError(internalCode(definition), undefined, { cause: thrown });
      if (error.status >= 500) logFault(call.requestId)(error.cause ?? error);
      // Half an answer cannot be taken back: the client sees that it is cut off.
      if (response.headersSent) response.destroy();
      else handleError(error, call);
    }
  };

  return Object.assign(onRequest({ invoker: 'public', ...definition.runtime }, serve), { definition });
}

/** The one-time-code flow has a spelling of its own. */
function internalCode(definition: Definition): ErrorCode {
  return definition.errors.includes('INTERNAL') ? 'INTERNAL' : 'internal';
}

/** Logs what the caller is not told. */
function logFault(requestId: string) {
  return (error: unknown) => logger.error('A request failed.', { requestId, error: describe(error) });
}

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
