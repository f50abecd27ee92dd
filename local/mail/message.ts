import { MailError, invalidParameter, missingField } from './errors';

/** An accepted mail. */
export interface Message {
  id: string;
  from: string;
  to: string[];
  subject: string;
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  cc: string[];
  bcc: string[];
  replyTo: string[];
  tags: { name: string; value: string }[];
  /** Some addresses select an event. Every other mail counts as delivered. */
  lastEvent: 'delivered' | 'bounced' | 'complained' | 'suppressed';
  createdAt: string;
}

type Json = Record<string, unknown>;

const RECIPIENT_LIMIT = 50;
/** RFC 5321. The store takes no key of 2 KB. */
const ADDRESS_LIMIT = 254;
const ADDRESS = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+\.[^\s@<>(),;:".]{2,}$/;
const FORMAT = 'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';

/** Makes a mail from a request of `POST /emails`. Checks the request as Resend does; throws MailError. */
export function newMessage(request: unknown, id: string, now: Date): Message {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new MailError(422, 'validation_error', 'The request body must be an object.');
  }
  const body = request as Json;
  for (const field of ['from', 'to', 'subject']) if (isMissing(body[field])) throw missingField(field);
  const [from] = addresses(body, 'from');
  const to = addresses(body, 'to');
  if (to.length > RECIPIENT_LIMIT)
    throw invalidParameter('to', `The maximum number of recipients is ${RECIPIENT_LIMIT}.`);
  const html = textOf(body, 'html');
  const text = textOf(body, 'text');
  if (html === null && text === null) {
    throw new MailError(422, 'validation_error', 'Missing `html` or `text` field.');
  }
  return {
    id,
    from: from!,
    to,
    subject: textOf(body, 'subject')!,
    html,
    text,
    headers: headersOf(body.headers),
    cc: addresses(body, 'cc'),
    bcc: addresses(body, 'bcc'),
    replyTo: addresses(body, 'reply_to'),
    tags: tagsOf(body.tags),
    lastEvent: eventFor(to),
    createdAt: now.toISOString(),
  };
}

/** `Name <a@b.example>` → `a@b.example`, in lower case. */
export function bareAddress(address: string): string {
  return (/<([^<>]*)>\s*$/.exec(address)?.[1] ?? address).trim().toLowerCase();
}

const isAddress = (bare: string) => ADDRESS.test(bare) && bare.length <= ADDRESS_LIMIT;

function addresses(body: Json, field: string): string[] {
  const value = body[field];
  if (isMissing(value)) return [];
  const all = Array.isArray(value) && field !== 'from' ? (value as unknown[]) : [value];
  return all.map((address) => {
    if (typeof address === 'string' && isAddress(bareAddress(address)) && !/[\r\n]/.test(address)) return address;
    throw new MailError(422, 'validation_error', `Invalid \`${field}\` field. ${FORMAT}`);
  });
}

/**
 * Resend's test addresses such as `bounced@resend.dev`, and `bounce@` and `complaint@` at any domain; also with a
 * label: `bounce+case1@example.com`.
 */
function eventFor(to: string[]): Message['lastEvent'] {
  for (const address of to.map(bareAddress)) {
    const [, local, domain] = /^([^+@]+)(?:\+[^@]*)?@(.*)$/.exec(address) ?? [];
    if (local === 'bounce') return 'bounced';
    if (local === 'complaint') return 'complained';
    const isTest = local === 'bounced' || local === 'complained' || local === 'suppressed';
    if (isTest && domain === 'resend.dev') return local;
  }
  return 'delivered';
}

/** The rule is that of Resend (https://resend.com/docs/api-reference/emails/send-email). */
const TAG = /^[\w-]{1,256}$/;

function tagsOf(value: unknown): Message['tags'] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidParameter('tags', 'It must be an array.');
  return (value as Json[]).map(({ name, value: text }) => {
    if (typeof name === 'string' && TAG.test(name) && typeof text === 'string' && TAG.test(text))
      return { name, value: text };
    throw new MailError(
      422,
      'validation_error',
      'Tags should only contain ASCII letters, numbers, underscores, or dashes.',
    );
  });
}

function textOf(body: Json, field: string): string | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalidParameter(field, 'It must be a string.');
  return value;
}

function headersOf(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw invalidParameter('headers', 'It must be an object.');
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
