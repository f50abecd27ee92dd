import { deletePresentation } from '../../../functions/src/index';

/** An instance in a process of its own, which its test kills: `instance <caller, as JSON> <presentationId>` deletes that deck. */
const [caller = '', presentationId = ''] = process.argv.slice(2);

void deletePresentation.definition.handle({
  input: { presentationId },
  caller: JSON.parse(caller),
  now: new Date(),
} as never);
