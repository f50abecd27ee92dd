import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../project';
import type { MountedFunction } from './exports';

// The platform's own middleware: that of the functions-framework version that functions/ pins.
const functionsRequire = createRequire(join(projectRoot, 'functions', 'package.json'));
const framework = functionsRequire('@google-cloud/functions-framework') as {
  http: (name: string, handler: unknown) => void;
};
const { getTestServer } = functionsRequire('@google-cloud/functions-framework/testing') as {
  getTestServer: (name: string) => Server;
};

/** The function in the middleware of functions-framework, which parses bodies and makes the objects of express. */
export function inFramework({ handler }: MountedFunction): RequestListener {
  const name = `local-${randomUUID()}`;
  framework.http(name, handler);
  // The server never listens. It holds the middleware as its listener.
  return getTestServer(name).listeners('request')[0] as RequestListener;
}
