import type { EndpointDefinition } from '../../functions/src/http/definition';
import * as functions from '../../functions/src/index';

/** The deployed functions that answer HTTP requests, by name. The scheduled functions are not in it. */
export const endpoints = Object.fromEntries(
  Object.entries(functions).filter(([, deployed]) => 'definition' in deployed),
) as unknown as Record<string, { definition: EndpointDefinition }>;
