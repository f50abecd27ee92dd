import type { EndpointDefinition } from '../../../functions/src/http/definition';
import { Idempotency } from '../../../functions/src/http/idempotency';
import * as deployed from '../../../functions/src/index';

/** An instance in a process of its own, which its test kills: `instance <function> <caller, as JSON> <input, as JSON>` makes that call. */
const [name = '', caller = '', input = ''] = process.argv.slice(2);
const functions = deployed as unknown as Record<string, { definition: EndpointDefinition }>;
const now = new Date();

void functions[name]!.definition.handle({
  input: JSON.parse(input),
  caller: JSON.parse(caller),
  now,
  idempotency: Idempotency.of(undefined, {
    ...{ endpointName: name, caller: undefined, input: {}, now },
    authorize: () => {
      throw new Error('These calls name no deck.');
    },
  }),
} as never);
