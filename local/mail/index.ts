import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BodyNotJson, BodyTooLarge, sendJson } from '../http/body';
import { serve } from '../http/serve';
import { getOne, sendBatch, sendOne } from './api';
import { MailError, notFound } from './errors';
import { answerHtml, answerPage, listMessages, InboxListeners } from './inbox';
import { MailStore } from './store';

export interface MailOptions {
  /** The server keeps everything in its folder `mail` in there. */
  dataDir: string;
  /** 0 or nothing: any free port. */
  port?: number;
}

export interface MailServer {
  /** For RESEND_BASE_URL, and for people. */
  url: string;
  port: number;
  /** Cuts what is open, flushes and stops; may be called twice. */
  close(): Promise<void>;
}

/** Resend's API in front of an inbox that delivers nothing anywhere. What was accepted is on disk. */
export async function startMail({ dataDir, port = 0 }: MailOptions): Promise<MailServer> {
  const folder = join(dataDir, 'mail');
  await mkdir(folder, { recursive: true });
  const store = new MailStore(folder);
  const watchers = new InboxListeners();
  try {
    await store.sweep();
    const listening = await serve('Mail', port, (req, res) => handle(store, watchers, req, res));
    let closing: Promise<void> | undefined;
    return {
      url: listening.url,
      port: listening.port,
      close: () => (closing ??= listening.close().then(() => store.close())),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function handle(
  store: MailStore,
  watchers: InboxListeners,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const [, collection, id, part] = /^\/(emails|messages)\/([^/]+)(?:\/(html))?$/.exec(pathname) ?? [];
    const request = `${req.method} ${pathname}`;
    if (request === 'POST /emails') {
      if (await sendOne(store, req, res)) watchers.tell();
    } else if (request === 'POST /emails/batch') {
      if (await sendBatch(store, req, res)) watchers.tell();
    } else if (request === 'GET /messages') {
      listMessages(store, res, searchParams);
    } else if (request === 'DELETE /messages') {
      await store.clear();
      watchers.tell();
      res.writeHead(204).end();
    } else if (request === 'GET /events') {
      watchers.add(req, res);
    } else if (req.method === 'GET' && collection === 'emails' && id && !part) {
      getOne(store, req, res, id);
    } else if (req.method === 'GET' && collection === 'messages' && id && part) {
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
          : error;
    if (!(known instanceof MailError)) throw error;
    sendJson(res, known.statusCode, known);
  }
}
