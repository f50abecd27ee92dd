import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, sendJson } from '../http/body';
import { MailError, notFound } from './errors';
import { newMessage, type Message } from './message';
import type { Idempotency, MailStore } from './store';

/** Resend's limit for a mail, attachments included. */
const BODY_LIMIT_BYTES = 40 * 1024 * 1024;
const BATCH_LIMIT = 100;

/** `POST /emails`. Returns whether a new mail was stored. */
export async function sendOne(store: MailStore, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const body = await authorizedBody(req);
  const message = newMessage(body, randomUUID(), new Date());
  const { answer, isNew } = await store.accept([message], { id: message.id }, idempotencyOf(req, body));
  sendJson(res, 200, answer);
  return isNew;
}

/**
 * `POST /emails/batch`. One invalid mail refuses the whole batch. With `x-batch-validation: permissive` the valid mails
 * are stored. Returns whether a new mail was stored.
 */
export async function sendBatch(store: MailStore, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const body = await authorizedBody(req);
  if (!Array.isArray(body)) throw new MailError(422, 'validation_error', 'The request body must be an array.');
  if (body.length === 0) throw new MailError(422, 'validation_error', 'The batch must contain at least one email.');
  if (body.length > BATCH_LIMIT) {
    throw new MailError(422, 'validation_error', `The batch may contain ${BATCH_LIMIT} emails at most.`);
  }
  const isPermissive = req.headers['x-batch-validation'] === 'permissive';
  const messages: Message[] = [];
  const errors: { index: number; message: string }[] = [];
  for (const [index, request] of body.entries()) {
    try {
      messages.push(newMessage(request, randomUUID(), new Date()));
    } catch (error) {
      if (!isPermissive || !(error instanceof MailError)) throw error;
      errors.push({ index, message: error.message });
    }
  }
  const data = { data: messages.map(({ id }) => ({ id })), ...(isPermissive && { errors }) };
  const { answer, isNew } = await store.accept(messages, data, idempotencyOf(req, body));
  sendJson(res, 200, answer);
  return isNew && messages.length > 0;
}

/** `GET /emails/<id>`. */
export function getOne(store: MailStore, req: IncomingMessage, res: ServerResponse, id: string): void {
  assertAuthorized(req);
  const message = store.find(id);
  if (!message) throw notFound('Email not found');
  const { from, to, cc, bcc, subject, html, text, tags, lastEvent, createdAt } = message;
  sendJson(res, 200, {
    object: 'email',
    id,
    from,
    to,
    cc,
    bcc,
    subject,
    html,
    text,
    tags,
    reply_to: message.replyTo,
    created_at: createdAt,
    last_event: lastEvent,
    scheduled_at: null,
  });
}

async function authorizedBody(req: IncomingMessage): Promise<unknown> {
  const body = await readJson(req, BODY_LIMIT_BYTES);
  assertAuthorized(req);
  return body;
}

/** Requires an API key, as Resend does. Any key is accepted. */
function assertAuthorized(req: IncomingMessage): void {
  if (!/^Bearer \S+/.test(req.headers.authorization ?? '')) {
    throw new MailError(
      401,
      'missing_api_key',
      'Missing API key in the authorization header. Include the following header with your request: `Authorization: Bearer YOUR_API_KEY`.',
    );
  }
}

function idempotencyOf(req: IncomingMessage, body: unknown): Idempotency | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > 256) {
    throw new MailError(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.');
  }
  const fingerprint = createHash('sha256')
    .update(`${req.url}\n${JSON.stringify(body)}`)
    .digest('base64');
  return { key, fingerprint };
}
