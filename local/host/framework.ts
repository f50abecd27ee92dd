import type Express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../project';
import type { MountedFunction } from './exports';

// The very express and body-parser that the platform runs: those of the functions-framework that functions/ pins.
const functionsRequire = createRequire(join(projectRoot, 'functions', 'package.json'));
const frameworkRequire = createRequire(functionsRequire.resolve('@google-cloud/functions-framework'));
const express = frameworkRequire('express') as typeof Express;

const MEBIBYTE = 1024 * 1024;
/** What the framework itself would buffer. */
const FRAMEWORK_LIMIT_BYTES = 1024 * MEBIBYTE;
/** What Cloud Run lets through. */
const PLATFORM_LIMIT_BYTES = 32 * MEBIBYTE;

type RequestWithRawBody = IncomingMessage & { body?: unknown; rawBody?: Buffer };

/**
 * Puts in front of a function what functions-framework 3.5.1 puts there, in its order. Two things differ on purpose:
 *
 * - A body that the platform could not take in one piece is handed on as an unread stream without `rawBody`: a multipart
 *   one here, since the specification allows up to 1 GB, and with `platformLimits` whatever declares more than 32 MiB,
 *   so that the function refuses it in its own words.
 * - A body that does not parse reaches the function (`body` undefined, `rawBody` set) instead of the framework's HTML page.
 */
export function frameworkFor({ trigger, handler }: MountedFunction, platformLimits: boolean): RequestListener {
  const app = express();
  app.enable('trust proxy');
  app.disable('x-powered-by');
  app.set('etag', false);

  const parsers = bodyParsers(platformLimits ? PLATFORM_LIMIT_BYTES : FRAMEWORK_LIMIT_BYTES);
  const handedOnUnread = platformLimits ? exceedsPlatformLimit : isMultipart;
  for (const parse of parsers) app.use((req, res, next) => (handedOnUnread(req) ? next() : parse(req, res, next)));
  app.use(((req, _res, next) => {
    req.body ??= {};
    next();
  }) satisfies RequestHandler);
  app.use(passParseErrorsOn);

  app.use('/favicon.ico|/robots.txt', (_req, res) => void res.status(404).end());
  app.all('/*', (req, res) => {
    if (trigger === 'schedule' && req.method !== 'POST') return void res.status(405).set('Allow', 'POST').end();
    return void handler(req, res);
  });
  return app as RequestListener;
}

/** In the framework's order: the first one that knows the content type wins, and the last one takes all that have one. */
function bodyParsers(limit: number): RequestHandler[] {
  const verify = (req: RequestWithRawBody, _res: ServerResponse, bytes: Buffer) => void (req.rawBody = bytes);
  const options = { limit, verify };
  return [
    express.json({ ...options, type: 'application/cloudevents+json' }),
    express.json(options),
    express.text(options),
    express.urlencoded({ ...options, extended: true }),
    express.raw({ ...options, type: '*/*' }),
  ];
}

const passParseErrorsOn: ErrorRequestHandler = (error: { type?: string; status?: number }, req, res, next) => {
  if (error.type === 'request.aborted') return;
  if (error.type === 'entity.too.large') {
    res.status(413).type('text/plain').send('Request Entity Too Large\n');
    return;
  }
  req.body = undefined;
  next();
};

function isMultipart(req: Request): boolean {
  return /^\s*multipart\//i.test(req.headers['content-type'] ?? '');
}

function exceedsPlatformLimit(req: Request): boolean {
  return Number(req.headers['content-length'] ?? 0) > PLATFORM_LIMIT_BYTES;
}
