import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { BodyNotJson, BodyTooLarge, sendJson } from '../http/body';
import { serve } from '../http/serve';
import { getOne, sendBatch, sendOne } from './api';
import { MailEvents, type MailEventsOptions } from './events';
import { DiskError } from '../data/errors';
import { diskFull, MailError, notFound } from './errors';
import { answerHtml, answerPage, listMessages, InboxListeners } from './inbox';
import { MailStore } from './store';

export interface MailOptions {
  /** The server keeps all data in the subfolder `mail`. Only one server at a time may use it. */
  dataDir: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /**
   * Whether the folder is deleted at the end. Writes are then not flushed: they survive a killed process, not a power
   * failure.
   */
  isTemporary?: boolean;
}

export interface MailServer {
  /** The address of the API (for RESEND_BASE_URL) and of the inbox page. */
  url: string;
  port: number;
  /** Tells a function what becomes of mails. */
  run(options: Omit<MailEventsOptions, 'store'>): MailEvents;
  /** Closes open connections, flushes and stops. Idempotent. */
  close(): Promise<void>;
}

/** Serves Resend's API and an inbox. No mail is delivered. Accepted mails are on disk. */
export async function startMail({ dataDir, port = 0, isTemporary = false }: MailOptions): Promise<MailServer> {
  const store = new MailStore(join(dataDir, 'mail'), isTemporary);
  const listeners = new InboxListeners();
  try {
    await store.sweep();
    let events: MailEvents | undefined;
    const notify = () => {
      listeners.notify();
      events?.wake();
    };
    const listening = await serve('Mail', port, (req, res) => handle({ store, listeners, notify }, req, res));
    let closing: Promise<void> | undefined;
    return {
      run: (of) => (events = new MailEvents({ ...of, store })),
      url: listening.url,
      port: listening.port,
      close: () => (closing ??= listening.close().then(() => store.close())),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts {
  store: MailStore;
  listeners: InboxListeners;
  /** Mails have changed. */
  notify: () => void;
}

async function handle({ store, listeners, notify }: Parts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const [, collection, id, part] =
      /^\/(emails|messages)\/([^/]+)(?:\/(html|bounced|complained))?$/.exec(pathname) ?? [];
    const request = `${req.method} ${pathname}`;
    if (request === 'POST /emails') {
      if (await sendOne(store, req, res)) notify();
    } else if (request === 'POST /emails/batch') {
      if (await sendBatch(store, req, res)) notify();
    } else if (request === 'GET /messages') {
      listMessages(store, res, searchParams);
    } else if (request === 'DELETE /messages') {
      await store.clear();
      notify();
      res.writeHead(204).end();
    } else if (request === 'GET /events') {
      listeners.add(req, res);
    } else if (req.method === 'GET' && collection === 'emails' && id && !part) {
      getOne(store, req, res, id);
    } else if (
      req.method === 'POST' &&
      collection === 'messages' &&
      id &&
      (part === 'bounced' || part === 'complained')
    ) {
      if (!(await store.tell(id, part))) throw notFound('There is no such mail.');
      notify();
      res.writeHead(204).end();
    } else if (req.method === 'GET' && collection === 'messages' && id && part === 'html') {
      answerHtml(store, res, id);
    } else if (req.method !== 'GET' || !answerPage(res, pathname)) {
      throw notFound();
    }
  } catch (error) {
    const known =
      error instanceof BodyNotJson
        ? new MailError(400, 'validation_error', 'The request body is not valid JSON.')
        : error instanceof BodyTooLarge
          ? new MailError(413, 'validation_error', error.message)
          : error instanceof DiskError
            ? diskFull(error.message)
            : error;
    if (!(known instanceof MailError)) throw error;
    sendJson(res, known.statusCode, known);
  }
}
