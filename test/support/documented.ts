import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import { resolve, type Schema } from '../../functions/reference/examples';
import type { openApiDocument } from '../../functions/reference/openapi';
import { words } from './words';

type Media = { schema?: Schema };
type DocumentedAnswer = { headers?: Record<string, { $ref: string }>; content?: Record<string, Media> };
type Operation = { path: RegExp; method: string; responses: Record<string, DocumentedAnswer & { $ref?: string }> };

/** An answer of a function. `url` is the address below the function's name; `body` is empty when it is not JSON. */
interface Observed {
  name: string;
  method: string;
  url: string;
  status: number;
  headers: OutgoingHttpHeaders;
  body: string;
}

const file = join(__dirname, '../../.build/test/openapi.json');
/** The API reference of these sources. prepare.ts has written it. */
export const document = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof openApiDocument>;
const components = document.components as unknown as {
  responses: Record<string, DocumentedAnswer>;
  headers: Record<string, { required?: boolean }>;
};

/** The operations of each function. */
const operations = new Map<string, Operation[]>();
for (const [path, item] of Object.entries(document.paths ?? {})) {
  const [, name, ...rest] = path.split('/');
  const pattern = rest.map((part) => (part === '{assetPath}' ? '(/.*)?' : `/${part.replace(/\{.*\}/, '[^/]+')}`));
  for (const [method, { responses }] of Object.entries(item as Record<string, Operation>)) {
    const operation = { path: new RegExp(`^${pattern.join('')}/?$`), method: method.toUpperCase(), responses };
    operations.set(name!, [...(operations.get(name!) ?? []), operation]);
  }
}

/** The operation that answers, or, for an address or a method that the document does not have, the first one. */
function operationOf({ name, method, url }: Observed): Operation | undefined {
  const all = operations.get(name) ?? [];
  const [path] = url.split('?') as [string];
  const ofMethod = all.filter((each) => each.method === method);
  return ofMethod.find((each) => each.path.test(path)) ?? ofMethod[0] ?? all[0];
}

/** Headers that the introduction of the document describes for all answers, and those of HTTP itself. */
const GENERAL = new Set(
  words(`connection content-type content-length date keep-alive transfer-encoding vary access-control-allow-origin
    access-control-expose-headers content-security-policy cross-origin-embedder-policy cross-origin-opener-policy
    cross-origin-resource-policy origin-agent-cluster permissions-policy referrer-policy x-content-type-options x-robots-tag`),
);

/** What the answer has that the API reference does not describe, or lacks that the reference promises. */
export function deviationsOf(answer: Observed): string[] {
  const operation = operationOf(answer);
  if (answer.method === 'OPTIONS' && answer.status === 204) return [];
  const documented = operation?.responses[answer.status];
  if (!documented) return ['the status is not in the document'];
  const described = documented.$ref ? components.responses[documented.$ref.split('/').at(-1)!]! : documented;
  return [...headerDeviations(answer, described), ...bodyDeviations(answer, described)];
}

function headerDeviations({ headers }: Observed, { headers: described = {} }: DocumentedAnswer): string[] {
  const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
  const required = Object.keys(described).filter((name) => components.headers[name]?.required);
  return [
    ...required.flatMap((name) => (name.toLowerCase() in headers ? [] : [`the header ${name} is missing`])),
    ...Object.keys(headers).flatMap((name) =>
      names.has(name) || GENERAL.has(name) ? [] : [`the header ${name} is not in the document`],
    ),
  ];
}

function bodyDeviations({ method, headers, body }: Observed, { content = {} }: DocumentedAnswer): string[] {
  const contentType = headers['content-type'];
  if (contentType === undefined) return Object.keys(content).length > 0 ? ['the answer has no content type'] : [];
  const [type] = String(contentType).split(';') as [string];
  if (method === 'HEAD') return [];
  const media = content[type] ?? content[`${type.split('/')[0]!}/*`] ?? content['*/*'];
  if (!media) return [`the media type ${type} is not in the document`];
  if (type !== 'application/json' || !media.schema || content['*/*']) return [];
  const value = parse(body);
  const validate = validatorOf(media.schema);
  if (!validate(value)) return [`the body is not valid: ${JSON.stringify(validate.errors?.slice(0, 3))}`];
  return [...undeclaredDetails(value as { error?: Failure }), ...wordsForPrograms(value as { error?: Failure })];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Validators {
  ajv: Ajv;
  known: Map<Schema, ValidateFunction>;
}

const values = validatorsWith(false);
let texts: Validators | undefined;

function validatorsWith(coerceTypes: boolean): Validators {
  const ajv = new Ajv({
    strict: false,
    coerceTypes,
    // api-reference.test.ts validates the document. Every test file would take 130 ms for that.
    meta: false,
    validateSchema: false,
    // Code that runs a few times only is made twice as fast without it.
    code: { optimize: false },
  });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  return { ajv, known: new Map() };
}

/**
 * Says whether a value matches a schema of the reference. `texts` also accepts the values of a query, which are
 * strings.
 */
export function validatorOf(schema: Schema, of: 'values' | 'texts' = 'values'): ValidateFunction {
  const { ajv, known } = of === 'values' ? values : (texts ??= validatorsWith(true));
  const text = () => JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  const validate = known.get(schema) ?? ajv.compile(JSON.parse(text()) as object);
  known.set(schema, validate);
  return validate;
}

type Failure = { code: string; details?: object; nextAction?: string };

/** The dashboard shows people what to do about a conflict, but for one with `serverVersion`. */
function wordsForPrograms({ error }: { error?: Failure }): string[] {
  const isShown = error?.code === 'conflict' && !('serverVersion' in (error.details ?? {}));
  const named = isShown ? /[a-z]+[A-Z]\w*/.exec(error.nextAction ?? '') : null;
  return named ? [`people read ${named[0]}, the name of a call or a field`] : [];
}

/** Fields of an error that the document does not have. A success is compared with its zod schema in `World.call`. */
function undeclaredDetails({ error }: { error?: Failure }): string[] {
  if (!error) return [];
  const schema = resolve(document, { $ref: `#/components/schemas/Error.${error.code}` });
  const details = (schema.properties?.['details'] ?? {}) as Schema;
  const forms = [details, ...(details.anyOf ?? [])] as Schema[];
  const fields = new Set(forms.flatMap((form) => Object.keys(form.properties ?? {})));
  const unknown = [
    ...Object.keys(error).filter((name) => !(name in (schema.properties ?? {}))),
    ...Object.keys(error.details ?? {}).filter((name) => !fields.has(name)),
  ];
  return unknown.map((name) => `${error.code} has the field ${name}, which is not in the document`);
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * The same functions. Every answer of them, also one that a test requests without the helpers of a world, is compared
 * with the API reference. `deviations` gets what the reference does not describe.
 */
export function watchAnswers<F extends Record<string, object>>(functions: F, deviations: Set<string>): F {
  const watched = Object.entries(functions).map(([name, deployed]) => {
    if (!('definition' in deployed)) return [name, deployed];
    const apply = (target: object, self: unknown, [request, response]: Parameters<Handler>) => {
      const { method = '', url = '' } = request;
      const body = keepJson(response);
      response.once('close', () => {
        const { statusCode: status, headersSent, writableFinished } = response;
        if (!headersSent || !writableFinished) return;
        const answer = { name, method, url, status, headers: response.getHeaders(), body: body() };
        for (const deviation of deviationsOf(answer)) deviations.add(`${method} ${name} ${status}: ${deviation}`);
      });
      return Reflect.apply(target as Handler, self, [request, response]);
    };
    return [name, new Proxy(deployed, { apply: apply as ProxyHandler<object>['apply'] & object })];
  });
  return Object.fromEntries(watched) as F;
}

/** Keeps the body of a JSON answer, which the envelope sends with one `end`. Returns what was sent. */
function keepJson(response: ServerResponse): () => string {
  let sent = '';
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = ((...args: unknown[]) => {
    if (/^application\/json/.test(String(response.getHeader('content-type'))) && args[0] instanceof Buffer)
      sent = args[0].toString();
    return end(...args);
  }) as ServerResponse['end'];
  return () => sent;
}
