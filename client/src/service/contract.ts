import type * as functions from '../../../functions/src/index';

type Functions = typeof functions;

/** The types of an endpoint in the envelope. They come from zod schemas, but the client needs no zod to read them. */
interface Typed {
  definition: { method: 'GET' | 'POST'; input: { _zod: { input: unknown } }; answer: { _zod: { output: unknown } } };
}

/** A file in a form. */
type Bytes = { open: unknown };

/** The input of a call that `post` can send. It sends JSON: a form with files is sent by `push`. */
type Sendable<Input> = Input extends { file: Bytes } | { files: Bytes[] } | { files: { whole: unknown } }
  ? never
  : Input;

/**
 * Every call that has an input and an answer, by the name of its function. The import is type-only, so that nothing of
 * the server becomes part of the client's bundle.
 */
export type Contract = {
  [Name in keyof Functions as Functions[Name] extends Typed ? Name : never]: Functions[Name] extends Typed
    ? {
        method: Functions[Name]['definition']['method'];
        input: Sendable<Functions[Name]['definition']['input']['_zod']['input']>;
        answer: Functions[Name]['definition']['answer']['_zod']['output'];
      }
    : never;
};
