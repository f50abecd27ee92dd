import type { ServerResponse as Response } from 'node:http';
import { config } from '../config';
import { runIn, TRACE, type Doer, type RequestContext } from '../context';
import { endOfWaiting } from '../deadlines';
import { fail, ServiceError, type ErrorCode } from '../errors';
import { logRequest, logWarning } from '../log';
import { recordFirstUse } from '../records/collaborators';
import { resourceClasses } from '../resources';
import { newRequestId } from '../values/ids';
import { assertDeclaredLength, bodyLimitOf, readJsonBody } from './body';
import { BodyClock } from './body-clock';
import { asDoer, asMember, assertScope, authenticate, authorizer, type KeyCaller, type SessionCaller } from './caller';
import { answerPreflight, setCorsHeaders } from './cors';
import type { CallerRule, Definition, EndpointDefinition, RawCall, RawEndpointDefinition } from './definition';
import { failInput, sendData, sendError } from './envelope';
import { hasFields, needsKey } from './errors-of';
import { Idempotency } from './idempotency';
import {
  clientAddress,
  forwardedFor,
  header,
  isThroughHosting,
  pathFields,
  query,
  traceOf,
  type Request,
} from './request';

// The functions stand in the order in which they serve a request.

/** Serves one request of an endpoint and writes its log line. */
export function serve(
  definition: EndpointDefinition | RawEndpointDefinition,
  request: Request,
  response: Response,
): Promise<void> {
  const { timeoutSeconds } = resourceClasses[definition.runtime?.class ?? 'call'];
  const trace = traceOf(request);
  const trail = {
    function: definition.name,
    requestId: newRequestId(),
    databaseReads: 0,
    databaseWrites: 0,
    ...(trace && { [TRACE]: config.traceName(trace) }),
  };
  const context = { trail, endsAt: endOfWaiting(timeoutSeconds) };
  const work = () => answer(definition, context, request, response);
  const passesContext = 'passesContext' in definition && definition.passesContext;
  return logRequest(trail, request, response, passesContext ? work : () => runIn(context, work));
}

/** Request id → CORS → method → declared length → caller → handle → error. */
async function answer(
  definition: EndpointDefinition | RawEndpointDefinition,
  context: RequestContext,
  request: Request,
  response: Response,
): Promise<void> {
  const methods = typeof definition.method === 'string' ? [definition.method] : definition.method;
  const { call, isAuthorized } = openCall(definition, context, request, response);
  response.setHeader('X-Request-Id', call.requestId);
  const hasCors = !definition.isSameOrigin;
  if (hasCors) setCorsHeaders(response);
  if (hasCors && request.method === 'OPTIONS') return answerPreflight(response, methods);
  try {
    if (!(methods as readonly string[]).includes(request.method)) {
      response.setHeader('Allow', [...methods, ...(hasCors ? ['OPTIONS'] : [])].join(', '));
      fail('method-not-allowed');
    }
    if (takesBody(definition)) assertDeclaredLength(request, bodyLimitOf(definition));
    if ('answer' in definition) await answerInEnvelope(definition, call, isAuthorized);
    else {
      call.caller = await identify(definition.caller, call);
      await definition.handle(call);
      assertAuthorized(definition, isAuthorized());
    }
  } catch (thrown) {
    await answerError(definition, call, thrown);
  } finally {
    await call.settle();
  }
}

function openCall(definition: Definition, context: RequestContext, request: Request, response: Response) {
  const endings: (() => Promise<unknown>)[] = [];
  let isAuthorized = false;
  let firstUse: Promise<void> | undefined;
  const role = (typeof definition.caller === 'object' && definition.caller.deck) || 'member';
  const call: RawCall = {
    context,
    request,
    response,
    caller: undefined,
    authorize: authorizer(
      () => call.caller,
      role,
      () => (isAuthorized = true),
      // A transaction that is retried checks again.
      (id, userId) => call.onEnd(() => (firstUse ??= recordFirstUse(id, userId).catch(onFirstUseFault))),
    ),
    now: new Date(),
    requestId: context.trail.requestId,
    onEnd: (close) => endings.push(close),
    settle: async () => void (await Promise.all(endings.splice(0).map((end) => end()))),
  };
  return { call, isAuthorized: () => isAuthorized };
}

const onFirstUseFault = (error: unknown) => logWarning('The first use of a deck was not noted.', error);

/** Whether the call reads a body. A raw endpoint that reads one declares its limit. */
function takesBody(definition: EndpointDefinition | RawEndpointDefinition): boolean {
  if ('answer' in definition) return definition.method === 'POST' && hasFields(definition);
  return definition.limit !== undefined;
}

/**
 * Returns the caller. Throws unauthenticated without a live key or session, and permission-denied when the rule does
 * not admit the key or session.
 */
async function identify(rule: CallerRule, call: RawCall): Promise<RawCall['caller']> {
  if (rule === 'anyone') return undefined;
  if (rule === 'optional-key') {
    return identify('any-key-or-session', call).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 401) return undefined;
      throw error;
    });
  }
  const onFault = (error: unknown) => logWarning('lastUsedAt of a key was not written.', error);
  const { caller, noted } = await authenticate(call.request, call.now, onFault);
  call.context.trail.keyId = caller.keyId;
  call.context.doer = doerOf(caller);
  if (noted) call.onEnd(() => noted);
  if (caller.kind === 'session') {
    if (rule === 'any-key')
      fail('permission-denied', undefined, {
        nextAction: 'Use an API key. A dashboard session may not call this endpoint.',
      });
  } else if (rule === 'session') {
    fail('permission-denied', undefined, {
      nextAction: 'Use a session from createDashboardSession. An API key may not call this endpoint.',
    });
  } else if (typeof rule === 'object') {
    assertScope(caller, rule.scope);
    if (rule.also) assertScope(caller, rule.also);
    if (rule.refusesAdmin) asMember(caller);
  }
  return caller;
}

/** Whom the events of the call name. Undefined for an admin key, which is an operator's. */
function doerOf(caller: KeyCaller | SessionCaller): Doer | undefined {
  return caller.organizationId === null || caller.userId === null ? undefined : asDoer(caller);
}

/** Caller → input → handle → role check → answer. A public call reads its input before it looks up a key. */
async function answerInEnvelope(
  definition: EndpointDefinition,
  call: RawCall,
  isAuthorized: () => boolean,
): Promise<void> {
  const { request, response, authorize, now, requestId } = call;
  const isPublic = !needsKey(definition.caller);
  const publicInput = isPublic ? await readInput(definition, call) : undefined;
  const caller = (call.caller = await identify(definition.caller, call));
  const input = isPublic ? publicInput : await readInput(definition, call);
  const sentKey = definition.isIdempotent ? header(request, 'idempotency-key') : undefined;
  const idempotency = Idempotency.of(sentKey, { endpointName: definition.name, caller, authorize, input, now });
  const answerHeaders: Record<string, string | string[]> = {};
  const answer = await definition
    .handle({
      input,
      caller,
      authorize,
      now,
      requestId,
      clientAddress: clientAddress(request),
      header: (name) => header(request, name),
      isThroughHosting: isThroughHosting(request, definition.name),
      get forwardedFor() {
        return forwardedFor(request);
      },
      idempotency,
      answerHeaders,
    })
    .catch((error: unknown) => idempotency.answerInstead(error));
  if ((input as { presentationId?: unknown }).presentationId) assertAuthorized(definition, isAuthorized());
  if (idempotency.isReplay) response.setHeader('Idempotency-Replayed', 'true');
  await call.settle();
  sendData(request, response, answer, { headers: answerHeaders, status: definition.isAccepted ? 202 : 200 });
}

/**
 * Returns the validated input: the body of a POST, or path and query of a GET. Throws every problem of an invalid input
 * as one error.
 */
async function readInput(definition: EndpointDefinition, { request, onEnd, now }: RawCall): Promise<unknown> {
  const isGet = definition.method === 'GET';
  const path = isThroughHosting(request, definition.name) ? {} : pathFields(request, definition.path ?? []);
  const fields = isGet ? Object.fromEntries(query(request)) : await readBody(definition, request, onEnd);
  const sent = { ...fields, ...path };
  const parsed = definition.input.safeParse(sent);
  if (parsed.success) return parsed.data;
  try {
    return failInput(parsed.error, isGet ? 'query' : 'body');
  } catch (error) {
    if (error instanceof ServiceError && definition.onRefusedInput) {
      await definition.onRefusedInput(sent, error, { now, clientAddress: clientAddress(request) });
    }
    throw error;
  }
}

/** Returns the fields of the body. The body of a call without fields is ignored unread. */
async function readBody(definition: EndpointDefinition, request: Request, onEnd: RawCall['onEnd']): Promise<object> {
  if (!takesBody(definition)) return {};
  const limit = bodyLimitOf(definition);
  return definition.read ? definition.read(request, limit, onEnd) : readJsonBody(request, limit);
}

/** Throws (500) when an endpoint declares a role and answers about a deck without the check of that role. */
function assertAuthorized({ name, caller }: Definition, isAuthorized: boolean): void {
  if (typeof caller === 'object' && caller.deck && !isAuthorized) {
    throw new Error(`${name} answered about a deck without authorize().`);
  }
}

/** Answers the error. The cause of a 5xx is logged and never answered. */
async function answerError(
  definition: EndpointDefinition | RawEndpointDefinition,
  call: RawCall,
  thrown: unknown,
): Promise<void> {
  const { request, response, requestId } = call;
  const { trail } = call.context;
  const error =
    thrown instanceof ServiceError ? thrown : new ServiceError(internalCode(definition), undefined, { cause: thrown });
  trail.errorCode = error.code;
  if (error.status >= 500) trail.fault = error.cause ?? error;
  await call.settle();
  if (BodyClock.isOver(request) && !response.headersSent) response.setHeader('Connection', 'close');
  // An answer that has begun cannot be replaced. The closed connection tells the client that the answer is incomplete.
  if (response.headersSent) response.destroy();
  else if ('handleError' in definition && definition.handleError) definition.handleError(error, call);
  else sendError(response, error, requestId);
}

/** Endpoints of the one-time-code flow spell this code in upper case. */
function internalCode(definition: Definition): ErrorCode {
  return definition.errors.includes('INTERNAL') ? 'INTERNAL' : 'internal';
}
