import { authorizer } from '../../../functions/src/http/caller';
import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { Idempotency } from '../../../functions/src/http/idempotency';
import * as deployed from '../../../functions/src/index';

/**
 * A functions instance in its own process, which a test can kill. `instance <function> <caller JSON> <input JSON>`
 * makes one call.
 */
const [name = '', caller = '', input = ''] = process.argv.slice(2);
const functions = deployed as unknown as Record<string, { definition: EndpointDefinition }>;
const { definition } = functions[name]!;
const now = new Date();
const by = JSON.parse(caller);
const role = (typeof definition.caller === 'object' && definition.caller.deck) || 'member';
const authorize = authorizer(
  () => by,
  role,
  () => undefined,
  () => undefined,
);

void definition.handle({
  input: JSON.parse(input),
  caller: by,
  authorize,
  now,
  idempotency: Idempotency.of(undefined, { endpointName: name, caller: undefined, authorize, input: {}, now }),
} as never);
