import type { ServerResponse as Response } from 'node:http';
import { onRequest, type HttpsFunction, type HttpsOptions } from 'firebase-functions/https';
import type { z } from 'zod';
import { logRequest, logWarning, type Trail } from '../log';
import { newId } from '../values/ids';
import type { Scope } from '../values/keys';
import type { DeckRole } from '../policy/presentation-access';
import { assertScope, authenticate, type Caller, type KeyCaller, type SessionCaller } from './authenticate';
import { assertDeclaredLength, JSON_BODY_LIMIT, readJsonBody } from './body';
import { setCorsHeaders } from './cors';
import { failInput, sendData, sendError } from './envelope';
import { fail, ServiceError, type ErrorCode } from '../errors';
import { Idempotency } from './idempotency';
import { clientAddress, header, pathSegments, query, type Request } from './request';

/**
 * Who may call: anyone (with `optional-key`, a live key or session is recognised and any other counts as none), any live key, somebody at the
 * dashboard, or a key with a scope; `deck` says what the key's user must be to the deck, and `orSession` that the dashboard may call, too.
 */
export type CallerRule =
  | 'anyone'
  | 'optional-key'
  | 'any-key'
  | 'session'
  | 'any-key-or-session'
  | { scope: Scope; deck?: DeckRole; orSession?: true };

type Method = 'GET' | 'POST' | 'HEAD';

/** What stands on every endpoint, in the order in which a request meets it. */
export interface Definition {
  name: string;
  /** Public text of the API reference: one to four sentences for a user of the API. */
  about: string;
  method: Method | readonly Method[];
  caller: CallerRule;
  /** Largest body in bytes; 16 MB unless said otherwise. */
  limit?: number;
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
  /** Headers of the success answer; an ETag among them makes the answer conditional. */
  answerHeaders: Record<string, string>;
}

export interface EndpointDefinition<
  Input extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Rule extends CallerRule = CallerRule,
> extends Definition {
  method: 'GET' | 'POST';
  caller: Rule;
  /** Names of the path segments behind the function's name; each may be sent as a query parameter instead. */
  path?: readonly string[];
  /** Reads a body that is no JSON. What it opens, it gives to `onEnd` to close. */
  read?: (request: Request, limit: number, onEnd: (close: () => Promise<void>) => void) => Promise<object>;
  input: Input;
  answer: Answer;
  /** Whether an Idempotency-Key makes the call happen once; `handle` then works through `call.idempotency`. */
  isIdempotent?: true;
  /** Whether the success answer carries an ETag, so that `If-None-Match` can be answered with 304. */
  isConditional?: true;
  handle(call: Call<z.output<Input>, CallerOf<Rule>>): Promise<z.input<Answer>>;
}

/** A request of an endpoint that answers something other than the envelope. */
export interface RawCall<By = Caller | undefined> {
  request: Request;
  response: Response;
  caller: By;
  now: Date;
  requestId: string;
  /** Closes what the request has opened and waits for its bookkeeping; the platform takes the CPU away after the answer. */
  onEnd: (close: () => Promise<unknown>) => void;
  settle: () => Promise<void>;
}

/** The answers of a raw endpoint that are not errors. `headers` are names that the API reference describes. */
export type RawAnswers = {
  readonly [status in 200 | 206 | 302 | 304 | 308]?: {
    readonly description: string;
    readonly contentType?: string;
    readonly headers?: readonly string[];
  };
};

type CallerOf<Rule extends CallerRule> = Rule extends 'anyone'
  ? undefined
  : Rule extends 'optional-key'
    ? KeyCaller | SessionCaller | undefined
    : Rule extends 'session'
      ? SessionCaller
      : Rule extends 'any-key-or-session' | { orSession: true }
        ? KeyCaller | SessionCaller
        : KeyCaller;

export interface RawEndpointDefinition<Rule extends CallerRule = CallerRule> extends Definition {
  caller: Rule;
  /** Documents the path and query parameters, or the fields of a form. `handle` reads them itself. */
  input?: z.ZodType;
  /** The path templates below the function's name. Fields of `input` that a template does not name are query parameters. */
  paths?: readonly string[];
  /** Documents the answers that are not errors, by status. */
  answers: RawAnswers;
  /** Documents the media types of `handleError`. */
  errorTypes?: readonly string[];
  handle(call: RawCall<CallerOf<Rule>>): Promise<void>;
  /** Answers an error in the endpoint's own form; in the envelope when it is left out. */
  handleError?: (this: void, error: ServiceError, call: RawCall) => void;
}

/** A deployed function that carries its own description. */
export type Endpoint<D extends Definition = Definition> = HttpsFunction & { definition: D };

/** What no earlier success changes anything about. */
const REFUSALS = new Set<ErrorCode>(['unauthenticated', 'permission-denied']);

/** An endpoint in the envelope: method → CORS → limit → caller → body → input → handle → answer. */
export function endpoint<Input extends z.ZodType, Answer extends z.ZodType, const Rule extends CallerRule>(
  definition: EndpointDefinition<Input, Answer, Rule>,
): Endpoint<EndpointDefinition<Input, Answer, Rule>> {
  async function handle(call: RawCall): Promise<void> {
    const { request, response, caller, now, requestId } = call;
    const parsed = definition.input.safeParse(await readInput(call));
    if (!parsed.success) failInput(parsed.error, definition.method === 'GET' ? 'query' : 'body');
    const { name: endpointName, caller: rule } = definition;
    const role = typeof rule === 'object' ? rule.deck : undefined;
    const sentKey = definition.isIdempotent ? header(request, 'idempotency-key') : undefined;
    const idempotency = Idempotency.of(sentKey, { endpointName, caller, role, input: parsed.data, now });
    const answerHeaders: Record<string, string> = {};
    const answer = await definition
      .handle({
        input: parsed.data,
        caller: caller as CallerOf<Rule>,
        now,
        requestId,
        clientAddress: clientAddress(request),
        idempotency,
        answerHeaders,
      })
      .catch(async (error: unknown) => {
        // A retry may fail because the first call succeeded: its session is gone, its base has moved. Then the first answer is the right one.
        if (error instanceof ServiceError && REFUSALS.has(error.code)) throw error;
        const earlier = await idempotency.find();
        if (earlier === undefined) throw error;
        return earlier as z.input<Answer>;
      });
    if (idempotency.isReplay) response.setHeader('Idempotency-Replayed', 'true');
    await call.settle();
    sendData(request, response, answer, answerHeaders);
  }

  async function readInput({ request, onEnd }: RawCall): Promise<object> {
    const limit = limitOf(definition);
    if (definition.read) return definition.read(request, limit, onEnd);
    if (definition.method === 'POST') return readJsonBody(request, limit);
    const segments = pathSegments(request) ?? fail('not-found');
    const named = (definition.path ?? []).map((name, i) => [name, segments[i]] as const).filter(([, value]) => value);
    return { ...Object.fromEntries(query(request)), ...Object.fromEntries(named) };
  }

  return deploy(definition, handle);
}

/** An endpoint that writes its own answers; method, CORS, limit, caller, request id and logs are as everywhere. */
export function rawEndpoint<const Rule extends CallerRule>(
  definition: RawEndpointDefinition<Rule>,
): Endpoint<RawEndpointDefinition<Rule>> {
  return deploy(definition, (call) => definition.handle(call as RawCall<CallerOf<Rule>>), definition.handleError);
}

const limitOf = (definition: Definition) => definition.limit ?? JSON_BODY_LIMIT;

function deploy<D extends Definition>(
  definition: D,
  handle: (call: RawCall) => Promise<void>,
  handleError = (error: ServiceError, { response, requestId }: RawCall): void => sendError(response, error, requestId),
): Endpoint<D> {
  const methods = typeof definition.method === 'string' ? [definition.method] : definition.method;

  const serve = (request: Request, response: Response): Promise<void> => {
    const trail: Trail = { function: definition.name, requestId: newId(), databaseReads: 0, databaseWrites: 0 };
    return logRequest(trail, request, response, () => answer(request, response, trail));
  };

  const answer = async (request: Request, response: Response, trail: Trail): Promise<void> => {
    const endings: (() => Promise<unknown>)[] = [];
    const call: RawCall = {
      request,
      response,
      caller: undefined,
      now: new Date(),
      requestId: trail.requestId,
      onEnd: (close) => endings.push(close),
      settle: async () => void (await Promise.all(endings.splice(0).map((end) => end()))),
    };
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
      assertDeclaredLength(request, limitOf(definition));
      call.caller = await identify(definition.caller, call, trail);
      await handle(call);
    } catch (thrown) {
      const error =
        thrown instanceof ServiceError
          ? thrown
          : new ServiceError(internalCode(definition), undefined, { cause: thrown });
      trail.errorCode = error.code;
      if (error.status >= 500) trail.fault = error.cause ?? error;
      await call.settle();
      // Half an answer cannot be taken back: the client sees that it is cut off.
      if (response.headersSent) response.destroy();
      else handleError(error, call);
    } finally {
      await call.settle();
    }
  };

  return Object.assign(onRequest({ invoker: 'public', ...definition.runtime }, serve), { definition });
}

/** The caller, if its key or session is good for this endpoint. */
async function identify(rule: CallerRule, call: RawCall, trail: Trail): Promise<Caller | undefined> {
  if (rule === 'anyone') return undefined;
  if (rule === 'optional-key') return identify('any-key-or-session', call, trail).catch(noneFor401);
  const onFault = (error: unknown) => logWarning('The use of a key was not noted.', error);
  const { caller, used } = await authenticate(call.request, call.now, onFault);
  trail.keyId = caller.keyId;
  if (used) call.onEnd(() => used);
  if (caller.kind === 'session') {
    const isWelcome =
      rule === 'session' || rule === 'any-key-or-session' || (typeof rule === 'object' && rule.orSession);
    if (!isWelcome)
      fail('permission-denied', undefined, { nextAction: 'Use an API key: this is no call of the dashboard.' });
  } else if (rule === 'session') {
    fail('permission-denied', undefined, {
      nextAction: 'Use a session of createDashboardSession: no API key may do that.',
    });
  } else if (typeof rule === 'object') assertScope(caller, rule.scope);
  return caller;
}

function noneFor401(error: unknown): undefined {
  if (error instanceof ServiceError && error.status === 401) return undefined;
  throw error;
}

/** The one-time-code flow has a spelling of its own. */
function internalCode(definition: Definition): ErrorCode {
  return definition.errors.includes('INTERNAL') ? 'INTERNAL' : 'internal';
}
