import type Express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../project';
import type { MountedFunction } from './exports';

// The platform's own express and body-parser: those of the functions-framework version that functions/ pins.
const functionsRequire = createRequire(join(projectRoot, 'functions', 'package.json'));
const frameworkRequire = createRequire(functionsRequire.resolve('@google-cloud/functions-framework'));
const express = frameworkRequire('express') as typeof Express;

const MEBIBYTE = 1024 * 1024;
/** The framework's own limit for a buffered body. */
const FRAMEWORK_LIMIT_BYTES = 1024 * MEBIBYTE;
/** Cloud Run's limit for a request. */
const PLATFORM_LIMIT_BYTES = 32 * MEBIBYTE;

type RequestWithRawBody = IncomingMessage & { body?: unknown; rawBody?: Buffer };

/**
 * Wraps a function in the middleware of functions-framework 3.5.1, in the same order, with two differences:
 *
 * - Some bodies reach the function as an unread stream without `rawBody`. Without `platformLimits` these are multipart
 *   bodies, which may have up to 1 GB by the specification. With `platformLimits` these are bodies that declare more
 *   than 32 MiB, so that the function answers with its own error.
 * - A body that does not parse reaches the function, with `body` undefined and `rawBody` set. The framework would
 *   answer with an HTML page.
 */
export function frameworkFor({ trigger, handler }: MountedFunction, platformLimits: boolean): RequestListener {
  const app = express();
  app.enable('trust proxy');
  app.disable('x-powered-by');
  app.set('etag', false);

  const parsers = bodyParsers(platformLimits ? PLATFORM_LIMIT_BYTES : FRAMEWORK_LIMIT_BYTES);
  const isLeftUnread = platformLimits ? exceedsPlatformLimit : isMultipart;
  for (const parse of parsers) app.use((req, res, next) => (isLeftUnread(req) ? next() : parse(req, res, next)));
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

/**
 * The framework's parsers, in its order. The first parser that matches the content type parses the body; the last one
 * matches every type.
 */
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
