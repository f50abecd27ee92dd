import type { ServerResponse as Response } from 'node:http';
import type { z } from 'zod';
import type { HttpsFunction, HttpsOptions } from 'firebase-functions/https';
import type { RequestContext } from '../context';
import type { ErrorCode, ServiceError } from '../errors';
import type { DeckRole } from '../policy/presentation-access';
import type { ResourceClass } from '../resources';
import type { Scope } from '../values/keys';
import type { Authorize, KeyCaller, SessionCaller } from './caller';
import type { Idempotency } from './idempotency';
import type { Request } from './request';

/**
 * Who may call. `optional-key` recognises a live key or session and treats every other header as no key. In the object
 * form a key needs `scope`, and `also` where it is given; a dashboard session has every scope. The user of both needs
 * the role `deck` on the deck. An admin key may do what an owner may, unless the rule refuses it.
 */
export type CallerRule =
  | 'anyone'
  | 'optional-key'
  | 'any-key'
  | 'session'
  | 'any-key-or-session'
  | { scope: Scope; also?: Scope; deck?: DeckRole; refusesAdmin?: true };

/** The caller that a rule lets through. */
export type CallerOf<Rule extends CallerRule> = Rule extends 'anyone'
  ? undefined
  : Rule extends 'optional-key'
    ? KeyCaller | SessionCaller | undefined
    : Rule extends 'session'
      ? SessionCaller
      : Rule extends 'any-key'
        ? KeyCaller
        : KeyCaller | SessionCaller;

type Method = 'GET' | 'POST' | 'HEAD';

/** What every endpoint declares, in the order in which the pipeline uses it. */
export interface Definition {
  name: string;
  /** Public text of the API reference: one to four sentences for a user of the API. */
  about: string;
  /** The command of `deck` that makes the call, as the API reference shows it. */
  command?: string;
  method: Method | readonly Method[];
  caller: CallerRule;
  /** The largest body in bytes. 64 KB when absent; a raw endpoint without it reads no body. */
  limit?: number;
  /** The codes that the endpoint answers beyond those of the pipeline; see http/errors-of. */
  errors: readonly ErrorCode[];
  /** The class of the deployed function (see resources.ts), `call` when absent, and its secrets. */
  runtime?: { class?: ResourceClass; secrets?: NonNullable<HttpsOptions['secrets']> };
  /** What the call of the reference's example costs at most. Tests measure it. */
  cost: Cost;
  /**
   * Whether pages of other origins must not read the answers, which depend on a cookie: no answer has CORS headers, and
   * `OPTIONS` is a method that is not allowed.
   */
  isSameOrigin?: true;
}

/** Calls of the database, documents that it reads and writes, and calls of the bucket. */
export interface Cost {
  roundTrips: number;
  reads: number;
  writes: number;
  /** None when absent. */
  bucketCalls?: number;
}

/** An endpoint that answers JSON in the envelope. */
export interface EndpointDefinition<
  Input extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Rule extends CallerRule = CallerRule,
  M extends 'GET' | 'POST' = 'GET' | 'POST',
> extends Definition {
  method: M;
  caller: Rule;
  /**
   * The names of the path segments after the function's name. A query parameter of a GET, or a field of the body, with
   * the same name is accepted, too.
   */
  path?: readonly string[];
  /** Reads a body that is not JSON. What it opens is registered with `onEnd`, and closed before the answer is sent. */
  read?: (request: Request, limit: number, onEnd: (close: () => Promise<void>) => void) => Promise<object>;
  input: Input;
  answer: Answer;
  /**
   * Runs for an input that `input` refuses, before `refusal` is answered. What it throws is answered instead: a problem
   * that the client must know first.
   */
  onRefusedInput?: (
    this: void,
    sent: object,
    refusal: ServiceError,
    call: { now: Date; clientAddress: string },
  ) => Promise<void>;
  /** Whether the endpoint honours an Idempotency-Key. `handle` then writes through `call.idempotency`. */
  isIdempotent?: true;
  /** Whether the success answer carries an ETag, so that `If-None-Match` can be answered with 304. */
  isConditional?: true;
  /** Whether the success answer is 202: a job does the work later. */
  isAccepted?: true;
  /** Whether the success answer sets or removes cookies of the site. */
  setsCookies?: true;
  handle(call: Call<z.output<Input>, CallerOf<Rule>>): Promise<z.input<Answer>>;
}

/** An endpoint that writes its own answers, such as the bytes of a file or a page. */
export interface RawEndpointDefinition<Rule extends CallerRule = CallerRule> extends Definition {
  caller: Rule;
  /** Documents the path and query parameters, or the fields of the body. `handle` reads them itself. */
  input?: z.ZodType;
  /** Documents the media type of the body. A form when absent. */
  bodyType?: 'application/json';
  /**
   * The path templates below the function's name, each with what follows the function's name in the id of its operation
   * in the API description. Fields of `input` that a template does not name are query parameters.
   */
  paths?: Readonly<Record<string, string>>;
  /** Whether `handle` reads no query: a field of `input` that a template does not name is not a parameter of it. */
  hasNoQuery?: true;
  /** Documents the answers that are not errors, by status. */
  answers: RawAnswers;
  /** Documents the media types of the errors that `handleError` writes. */
  errorTypes?: readonly string[];
  /** Documents the headers that errors of a status have beyond those of every endpoint. */
  errorHeaders?: Readonly<Record<number, readonly string[]>>;
  /** Whether `handle` passes the context on to whatever it calls, and no code finds it with `currentContext`. */
  passesContext?: true;
  handle(call: RawCall<CallerOf<Rule>>): Promise<void>;
  /** Writes an error. When absent, the pipeline answers the error in the envelope. */
  handleError?: (this: void, error: ServiceError, call: RawCall) => void;
}

/** The answers of a raw endpoint that are not errors. `headers` are names that the API reference describes. */
export type RawAnswers = {
  readonly [status in 200 | 202 | 204 | 206 | 302 | 303 | 304 | 308]?: {
    readonly description: string;
    readonly contentTypes?: readonly string[];
    readonly headers?: readonly string[];
  };
};

/** A deployed function that carries its own description. */
export type Endpoint<D extends Definition = Definition> = HttpsFunction & { definition: D };

/** One request of an endpoint in the envelope. */
export interface Call<Input, By> {
  input: Input;
  caller: By;
  /** Checks the role that the endpoint declares for decks; see http/caller. */
  authorize: Authorize;
  /** The time of this call; every record that the call writes carries it. */
  now: Date;
  requestId: string;
  clientAddress: string;
  /** A header of the request, which the client chooses. */
  header: (name: string) => string | undefined;
  /** Whether Hosting passed the request on, so that the browser takes the answer as one of the site. */
  isThroughHosting: boolean;
  /** The entries of X-Forwarded-For. The client can write all of them except those of trusted proxies. */
  forwardedFor: readonly string[];
  idempotency: Idempotency;
  /** Headers of the success answer. An ETag among them makes the answer conditional. */
  answerHeaders: Record<string, string | string[]>;
}

/** One request of an endpoint that writes its own answer. */
export interface RawCall<By = KeyCaller | SessionCaller | undefined> {
  /** What the call is about. An endpoint without `passesContext` need not use it. */
  context: RequestContext;
  request: Request;
  response: Response;
  caller: By;
  authorize: Authorize;
  now: Date;
  requestId: string;
  /** Registers work that must end before the answer ends: the platform throttles the CPU after the answer. */
  onEnd: (close: () => Promise<unknown>) => void;
  /** Runs the registered work now. The pipeline runs what is left before the call returns. */
  settle: () => Promise<void>;
}
