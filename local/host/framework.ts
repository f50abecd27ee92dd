import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../project';
import type { MountedFunction } from './exports';

/** The platform's own middleware: the functions-framework, in the version that functions/ pins. */
interface Framework {
  http: (name: string, handler: unknown) => void;
  getTestServer: (name: string) => Server;
}

let loaded: Framework | undefined;

/** Loads the framework at the first run of a schedule. Its module `domain` makes every event of the process slower. */
function framework(): Framework {
  const load = createRequire(join(projectRoot, 'package.json'));
  return (loaded ??= {
    ...(load('@google-cloud/functions-framework') as Pick<Framework, 'http'>),
    ...(load('@google-cloud/functions-framework/testing') as Pick<Framework, 'getTestServer'>),
  });
}

/** The function in the middleware of functions-framework, which parses bodies and makes the objects of express. */
export function inFramework({ handler }: MountedFunction): RequestListener {
  const { http, getTestServer } = framework();
  const name = `local-${randomUUID()}`;
  http(name, handler);
  // The server never listens. It holds the middleware as its listener.
  return getTestServer(name).listeners('request')[0] as RequestListener;
}
