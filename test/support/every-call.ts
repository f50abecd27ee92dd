import { example } from '../../functions/src/contract/example';
import { exampleOf } from '../../functions/reference/examples';
import { aBrowser } from './browser-session';
import { navigation, openOnOrigin, requestTarget } from './deck-origin';
import { document } from './documented';
import { endpoints } from './endpoints';
import { ENTRY, EXAMPLE_SIZE, sceneOf } from './example-scene';
import { operationOf, type Operation } from './operations';
import { signedByResend } from './signed-mail-event';
import type { Deck, World } from './world';

/** The ordinary call of each endpoint is the example of its first operation in the API reference. */

const valueOf = ({ schema }: Operation['parameters'][number]) => String(exampleOf(document, schema, false));

/** The parameters that the path names, and the required ones of the query. */
const neededOf = ({ parameters }: Operation) =>
  parameters.filter(({ in: place, required }) => place === 'path' || (place === 'query' && required));

/** The address of the example below the base address. */
function addressOf(operation: Operation): string {
  const needed = neededOf(operation);
  const path = operation.segments.map((segment) =>
    segment.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(valueOf(needed.find((each) => each.name === name)!))),
  );
  const inQuery = needed.filter((each) => each.in === 'query');
  const query = inQuery.map((each) => `${each.name}=${encodeURIComponent(valueOf(each))}`);
  return `${[operation.endpoint, ...path].join('/')}?${query.join('&')}`;
}

/** A form of the example's fields. `@index.html` stands for the bytes of the file. */
function formOf(fields: Record<string, string | number>): FormData {
  const form = new FormData();
  for (const [name, sent] of Object.entries(fields)) {
    const value = String(sent);
    const [, type = ''] = /^@[^;]+(?:;type=(.*))?$/.exec(value) ?? [];
    if (value.startsWith('@')) form.append(name, new Blob([ENTRY.bytes], { type }), ENTRY.path);
    else form.append(name, value);
  }
  return form;
}

function bodyOf(type: string, text: string): FormData | URLSearchParams | string {
  if (type === 'application/json') return text;
  const fields = JSON.parse(text) as Record<string, string>;
  return type === 'multipart/form-data' ? formOf(fields) : new URLSearchParams(fields);
}

/** The input of an endpoint about decks: its example, about that deck. */
export function inputAbout(name: string, { presentationId, tokenId }: Pick<Deck, 'presentationId' | 'tokenId'>) {
  const operation = operationOf(name);
  const fields =
    operation.body?.example ?? Object.fromEntries(neededOf(operation).map((each) => [each.name, valueOf(each)]));
  const ofDeck = JSON.stringify(fields).replace(example.tokenId, tokenId);
  const text = ofDeck.replace(EXAMPLE_SIZE, String(ENTRY.bytes.length));
  const { sessionId: _, ...fieldsOfDeck } = JSON.parse(text) as Record<string, string>;
  const input = { ...fieldsOfDeck, presentationId };
  return operation.body?.type === 'multipart/form-data' ? formOf(input) : input;
}

/**
 * The status with which the ordinary call of an endpoint succeeds: 200, 202, or that of what a raw endpoint answers.
 */
export function successOf(name: string): number {
  const { definition } = endpoints[name]!;
  return 'answers' in definition
    ? Math.min(...Object.keys(definition.answers as object).map(Number))
    : definition.isAccepted
      ? 202
      : 200;
}

/** A call with all that it needs, ready to be sent until it succeeds. */
export interface ReadyCall {
  name: string;
  /** Whether the call writes documents on which its answer depends. */
  writes: boolean;
  /** The address to which the call sends its mail, if it sends one. */
  email: string;
  /** The key of the call, or that of an account that made all that the call needs. */
  key: string;
  /** The secrets that no answer of a failed call and no log line may hold. */
  secrets: string[];
  send: () => Promise<{ status: number; text: string; requestId: string }>;
}

/**
 * Prepares the ordinary call of an endpoint, about an account and a deck that no other call uses. `instance` is the
 * address of an instance of the function that gets the call in place of the local cloud.
 */
export async function prepareCall(world: World, name: string, instance?: string): Promise<ReadyCall> {
  const { definition } = endpoints[name]!;
  const operation = operationOf(name);
  const [address, json] = [addressOf(operation), JSON.stringify(operation.body?.example) ?? ''];
  const scene = await sceneOf(world, name, address + json);
  const { owner, deck, email, session, real } = scene;
  const { caller, cost } = definition;
  const isPublic = caller === 'anyone' || caller === 'optional-key';
  const key = caller === 'session' ? session : scene.key;
  const request: RequestInit = {
    method: operation.method,
    redirect: 'manual',
    headers: {
      'x-forwarded-for': owner.userId,
      ...(!isPublic && { authorization: `Bearer ${key}` }),
      ...(operation.body?.type === 'application/json' && { 'content-type': 'application/json' }),
    },
  };
  const body = operation.body && { body: bodyOf(operation.body.type, real(json)) };
  const url = instance ? instance + real(address).slice(name.length) : `${world.cloud.baseUrl}/${real(address)}`;
  let send: ReadyCall['send'] = async () => {
    const answer = await fetch(url, { ...request, ...body });
    return { status: answer.status, text: await answer.text(), requestId: answer.headers.get('x-request-id')! };
  };
  if (name === 'dashboardSession') {
    const { headers } = await aBrowser(world, owner);
    Object.assign(request, { headers: { ...request.headers, ...headers } });
  }
  if (name === 'receiveMailEvents') Object.assign(request.headers!, signedByResend(real(json)));
  if (name === 'deckSite') {
    // The endpoint answers at the origin of the deck.
    const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${deck.presentationId}?token=${deck.token}`);
    send = async () => {
      const headers = { ...navigation, cookie: link.cookie, host: new URL(link.origin).host };
      const { status, text, headers: answered } = await requestTarget(instance ?? link.origin, '/', { headers });
      return { status, text, requestId: String(answered['x-request-id']) };
    };
  }
  const writes = operation.method === 'POST' && cost.writes > 0;
  return { name, writes, email, key: scene.key, secrets: [owner.key, deck.token, key], send };
}
