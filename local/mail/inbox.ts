import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../http/body';
import { notFound } from './errors';
import { INBOX_PAGE } from './inbox-page';
import { INBOX_SCRIPT } from './inbox-script';
import { INBOX_STYLE } from './inbox-style';
import type { MailStore } from './store';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1000;

/** The page loads only files of this server and cannot be framed. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A mail may load images and styles, never scripts. `sandbox` gives it a separate origin, outside the frame too. */
const MAIL_POLICY =
  "default-src 'none'; img-src data: http: https:; style-src 'unsafe-inline' https:; font-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";

const pageFiles: Record<string, [type: string, body: string]> = {
  '/': ['text/html; charset=utf-8', INBOX_PAGE],
  '/inbox.css': ['text/css; charset=utf-8', INBOX_STYLE],
  '/inbox.js': ['text/javascript; charset=utf-8', INBOX_SCRIPT],
};

/** Answers the page and its two files. Returns false for any other path. */
export function answerPage(res: ServerResponse, path: string): boolean {
  const file = pageFiles[path];
  if (!file) return false;
  res.writeHead(200, {
    'content-type': file[0],
    'content-length': Buffer.byteLength(file[1]),
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
  res.end(file[1]);
  return true;
}

/** `GET /messages?to=&limit=`. */
export function listMessages(store: MailStore, res: ServerResponse, query: URLSearchParams): void {
  const limit = Math.trunc(Number(query.get('limit') ?? PAGE_SIZE));
  const messages = store.list(limit > 0 ? Math.min(limit, MAX_PAGE_SIZE) : PAGE_SIZE, query.get('to') || undefined);
  const rows = messages.map(({ id, from, to, subject, html, text, headers, cc, replyTo, createdAt, lastEvent }) => ({
    id,
    from,
    to,
    subject,
    html,
    text,
    createdAt,
    lastEvent,
    // The headers as the mail would contain them.
    headers: {
      ...(cc.length > 0 && { Cc: cc.join(', ') }),
      ...(replyTo.length > 0 && { 'Reply-To': replyTo.join(', ') }),
      ...headers,
    },
  }));
  sendJson(res, 200, { messages: rows });
}

/** `GET /messages/<id>/html`: the mail's HTML for the frame. Links open in a new tab. */
export function answerHtml(store: MailStore, res: ServerResponse, id: string): void {
  const html = store.find(id)?.html;
  if (html === undefined || html === null) throw notFound('There is no such HTML mail.');
  res.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': MAIL_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  res.end(withBase(html));
}

/**
 * Inserts `<base>` in the head, or at least after the doctype: before the doctype, it would switch the browser to
 * quirks mode.
 */
function withBase(html: string): string {
  const base = '<base target="_blank">';
  for (const anchor of [/<head(?:\s[^>]*)?>/i, /<html(?:\s[^>]*)?>/i, /<!doctype[^>]*>/i]) {
    if (anchor.test(html)) return html.replace(anchor, (tag) => tag + base);
  }
  return `<!doctype html>${base}${html}`;
}

/** The open pages, which receive an event when the inbox changes. */
export class InboxListeners {
  readonly #open = new Set<ServerResponse>();

  add(req: IncomingMessage, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.write('retry: 1000\n\n');
    this.#open.add(res);
    req.once('close', () => this.#open.delete(res));
  }

  notify(): void {
    for (const res of this.#open) res.write('data: changed\n\n');
  }
}
