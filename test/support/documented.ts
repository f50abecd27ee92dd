import type { IncomingMessage, ServerResponse } from 'node:http';
import { openApiDocument } from '../../functions/reference/openapi';

/** The statuses that the API reference names, by function and method. */
const documented = new Map<string, Map<string, Set<string>>>();
for (const [path, item] of Object.entries(openApiDocument().paths ?? {})) {
  const name = path.split('/')[1]!;
  const methods = documented.get(name) ?? new Map<string, Set<string>>();
  documented.set(name, methods);
  for (const [method, { responses }] of Object.entries(item as Record<string, { responses: object }>)) {
    const statuses = methods.get(method.toUpperCase()) ?? new Set();
    methods.set(method.toUpperCase(), statuses);
    for (const status of Object.keys(responses)) statuses.add(status);
  }
}

/** Whether the API reference names the status for the function. A method that it does not name is answered with 405. */
function isDocumented(name: string, method: string, status: number): boolean {
  const methods = documented.get(name);
  if (method === 'OPTIONS' && status === 204) return true;
  const statuses = methods?.get(method) ?? [...(methods?.values() ?? [])][0];
  return statuses?.has(String(status)) ?? false;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * The same functions. Every answer of them, also one that a test requests without the helpers of a world, is compared
 * with the API reference. `undocumented` gets the answers whose status it does not name.
 */
export function watchAnswers<F extends Record<string, object>>(functions: F, undocumented: Set<string>): F {
  const watched = Object.entries(functions).map(([name, deployed]) => {
    if (!('definition' in deployed)) return [name, deployed];
    const apply = (target: object, self: unknown, [request, response]: Parameters<Handler>) => {
      response.once('close', () => {
        const { statusCode, headersSent } = response;
        const method = request.method ?? '';
        if (headersSent && !isDocumented(name, method, statusCode)) undocumented.add(`${method} ${name} ${statusCode}`);
      });
      return Reflect.apply(target as Handler, self, [request, response]);
    };
    return [name, new Proxy(deployed, { apply: apply as ProxyHandler<object>['apply'] & object })];
  });
  return Object.fromEntries(watched) as F;
}
