import type { EndpointDefinition } from '../../functions/src/http/definition';
import * as functions from '../../functions/src/index';

/** The deployed functions that answer requests, by their names; the others run by a schedule. */
export const endpoints = Object.fromEntries(
  Object.entries(functions).filter(([, deployed]) => 'definition' in deployed),
) as unknown as Record<string, { definition: EndpointDefinition }>;
