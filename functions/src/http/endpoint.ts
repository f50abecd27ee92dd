import type { ServerResponse as Response } from 'node:http';
import { onRequest } from 'firebase-functions/https';
import type { z } from 'zod';
import type { CallerRule, Definition, Endpoint, EndpointDefinition, RawEndpointDefinition } from './definition';
import { serve } from './pipeline';
import type { Request } from './request';

/** An endpoint that answers JSON in the envelope. */
export function endpoint<Input extends z.ZodType, Answer extends z.ZodType, const Rule extends CallerRule>(
  definition: EndpointDefinition<Input, Answer, Rule>,
): Endpoint<EndpointDefinition<Input, Answer, Rule>> {
  // `handle` takes exactly the input and caller that the definition itself declares, which the list of all endpoints cannot say.
  return deploy(definition, definition as unknown as EndpointDefinition);
}

/** An endpoint that writes its own answers. Method, CORS, limit, caller, request id and log line are as everywhere. */
export function rawEndpoint<const Rule extends CallerRule>(
  definition: RawEndpointDefinition<Rule>,
): Endpoint<RawEndpointDefinition<Rule>> {
  return deploy(definition, definition as unknown as RawEndpointDefinition);
}

function deploy<D extends Definition>(definition: D, served: EndpointDefinition | RawEndpointDefinition): Endpoint<D> {
  const handler = (request: Request, response: Response): Promise<void> => serve(served, request, response);
  return Object.assign(onRequest({ invoker: 'public', ...definition.runtime }, handler), { definition });
}
