import type { RequestListener, ServerResponse as Response } from 'node:http';
import type { z } from 'zod';
import { onRequest } from 'firebase-functions/https';
import type { CallerRule, Definition, Endpoint, EndpointDefinition, RawEndpointDefinition } from './definition';
import { logError } from '../log';
import { optionsOf } from '../resources';
import { serve } from './pipeline';
import type { Request } from './request';
import { lingerUntilRead, serveWithoutMiddleware } from './server';

/** Defines an endpoint that answers JSON in the envelope. */
export function endpoint<
  Input extends z.ZodType,
  Answer extends z.ZodType,
  const Rule extends CallerRule,
  const M extends 'GET' | 'POST',
>(definition: EndpointDefinition<Input, Answer, Rule, M>): Endpoint<EndpointDefinition<Input, Answer, Rule, M>> {
  // `handle` takes the input and caller that its own definition declares. The pipeline serves every definition, so its
  // type does not name them.
  return deploy(definition, definition as unknown as EndpointDefinition);
}

/**
 * Defines an endpoint that writes its own answers. The pipeline handles method, CORS, limit, caller, request id and log
 * line as for every endpoint.
 */
export function rawEndpoint<const Rule extends CallerRule>(
  definition: RawEndpointDefinition<Rule>,
): Endpoint<RawEndpointDefinition<Rule>> {
  return deploy(definition, definition as unknown as RawEndpointDefinition);
}

function deploy<D extends Definition>(definition: D, served: EndpointDefinition | RawEndpointDefinition): Endpoint<D> {
  const handler = (request: Request, response: Response): Promise<void> => {
    lingerUntilRead(request, response);
    return serve(served, request, response).catch((error: unknown) => {
      logError('A request failed without an answer.', error);
      response.destroy();
    });
  };
  const { class: resources = 'call', secrets = [] } = definition.runtime ?? {};
  const deployed = onRequest({ invoker: 'public', ...optionsOf(resources), secrets }, handler);
  // The wrappers of `onRequest` only answer errors, which the pipeline does, and keep the trace in an
  // AsyncLocalStorage.
  serveWithoutMiddleware(definition.name, handler as RequestListener);
  return Object.assign(deployed, { definition });
}
