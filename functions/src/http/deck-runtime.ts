import { createHash } from 'node:crypto';
import type { ServerResponse as Response } from 'node:http';
import { LRUCache } from 'lru-cache';
import { framed, linked, live } from '../../runtime/bundle.cjs';
import { config } from '../config';
import type { ManifestFile } from '../policy/manifest';
import { mediaType } from '../values/content-types';
import { insertionOf, INSERTION_VERSION, type Insertion } from '../values/html-insertion';
import { isNavigation, type Request } from './request';
import { sendDocument } from './send-document';

/**
 * How a page gets the runtime: from an address of its origin (`observed`: and the page sends what its reader looks at),
 * or as a script in the page.
 */
export type RuntimeForm = 'linked' | 'observed' | 'inline';

/** Whether the page has an origin of its own, which isolates it. */
export const hasOwnOrigin = (form: RuntimeForm | undefined) => form === 'linked' || form === 'observed';

export interface RuntimeElement {
  bytes: Buffer;
  /** Changes with the bytes, and with the rule by which they are inserted. Undefined for bytes of this answer alone. */
  version?: string;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const fileName = `runtime.${hashOf(linked)}.js`;

const elementOf = (html: string): RuntimeElement => ({
  bytes: Buffer.from(html),
  version: hashOf(`${INSERTION_VERSION}\n${html}`),
});
/* eslint-disable no-restricted-syntax -- The element stands in bytes of a deck. Nothing of a request is in it. */
const elements: Record<RuntimeForm, RuntimeElement> = {
  linked: elementOf(`<script src="/_deck/${fileName}"></script>`),
  observed: elementOf(`<script src="/_deck/${fileName}" data-seen></script>`),
  inline: elementOf(`<script>${framed}</script>`),
};

/** The element with the ticket of a live session, which has only URL-safe characters. */
const withTicket = (form: RuntimeForm, ticket: string): RuntimeElement => ({
  bytes: Buffer.from(elements[form].bytes.toString().replace('>', ` data-live="${ticket}">`)),
});
/* eslint-enable no-restricted-syntax */

/** Whether a request for the file may be answered with the runtime in it. */
export const takesRuntime = ({ contentType, size }: ManifestFile) => mediaType(contentType) === 'text/html' && size > 0;

/**
 * The element that the answer to the request has in front. Only a page that a browser navigates to has one. `ticket` is
 * that of the live session of its link.
 */
export function runtimeElement(
  request: Request,
  file: ManifestFile,
  form: RuntimeForm | undefined,
  ticket: string | undefined,
): RuntimeElement | undefined {
  if (!form || !takesRuntime(file) || !isNavigation(request)) return undefined;
  return ticket === undefined ? elements[form] : withTicket(form, ticket);
}

/** The places of the element in the pages that the instance has answered. The bytes of a hash never change. */
const insertions = new LRUCache<string, { found: Insertion | undefined }>({ max: 5000 });

/** The place of the element in a page that begins with `bytes`. */
export function insertionIn({ sha256, size, contentType }: ManifestFile, bytes: Buffer): Insertion | undefined {
  const key = `${sha256}/${size}/${contentType}`;
  const known = insertions.get(key) ?? { found: insertionOf(bytes, bytes.length === size, contentType) };
  insertions.set(key, known);
  return known.found;
}

/** The module of live sessions. Its streams are at the address of the functions. */
const liveModule = () => `const FUNCTIONS=${JSON.stringify(config.baseUrl())};${live}`;

/**
 * Answers a request for `/_deck/{name}` when it is a file of the runtime: the script, also that of another version,
 * whose page was answered before or after this instance started, or the module of live sessions. Returns whether it
 * did.
 */
export function sendRuntime(request: Request, response: Response, name: string): boolean {
  const send = (text: string, cacheControl: string) =>
    sendDocument(response, request.method, { contentType: 'text/javascript; charset=utf-8', text, cacheControl });
  if (name === 'live.js') send(liveModule(), 'public, max-age=300');
  else if (/^runtime\.[\da-f]{16}\.js$/.test(name))
    send(linked, name === fileName ? 'public, max-age=31536000, immutable' : 'no-store');
  else return false;
  return true;
}
