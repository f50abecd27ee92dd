import { toJSONSchema, type z } from 'zod';
import * as functions from '../../functions/src/index';
import { errorTable } from '../../functions/src/errors';
import { Failure } from '../../client/src/failure';
import { addHints } from '../../cli/src/failure-hints';

const endpoints = Object.entries(functions).flatMap(([name, value]) => {
  const { definition } = value as unknown as { definition?: { input?: z.ZodType } };
  return [{ name, input: definition?.input }];
});

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** The locations of all fields of a schema, as the service names them in a refusal. */
function locationsIn(schema: Schema, at: string): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    at,
    ...Object.entries(properties).flatMap(([name, field]) => locationsIn(field, `${at}.${name}`)),
    ...(items ? locationsIn(items, `${at}[2]`) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => locationsIn(each, at)),
  ];
}

const locations = new Set(
  endpoints.flatMap(({ input }) =>
    input
      ? ['body', 'query'].flatMap((source) =>
          locationsIn(toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema, source),
        )
      : [],
  ),
);

/** Every text of the failure that the terminal shows. */
function textsOf(failure: Failure): string {
  const { message, nextAction = '', details } = addHints(failure);
  const { errors = [] } = (details ?? {}) as { errors?: { location: string; message: string }[] };
  return [message, nextAction, ...errors.flatMap((error) => [error.location, error.message])].join('\n');
}

const words = [...endpoints.map(({ name }) => name), 'body.', 'query.', 'details.', 'retryInSeconds', 'undefined'];

function expectPlain(text: string): void {
  expect(words.filter((word) => text.includes(word))).toEqual([]);
  expect(text).not.toMatch(/\b[a-z]+[A-Z]/);
}

const details = {
  retryInSeconds: 7,
  attemptsRemaining: 3,
  limit: 20,
  actual: 21,
  plan: 'free',
  missing: [],
  path: 'a.js',
  errors: [{ location: 'body.user.firstName', message: 'Too big: expected string to have <=60 characters' }],
};

describe('a refusal of the service', () => {
  test.each(Object.entries(errorTable))('with %s speaks the words of the client', (code, { status, ...texts }) => {
    for (const given of [details, undefined])
      expectPlain(textsOf(new Failure(texts.message, { code, status, nextAction: texts.nextAction, details: given })));
  });

  test('names no field as the API does, in whatever call it is', () => {
    expect(locations.size).toBeGreaterThan(100);
    for (const location of locations) {
      const errors = [{ location, message: 'Send details.errors to createApiKey.' }];
      expectPlain(textsOf(new Failure('x', { code: 'invalid-argument', status: 400, details: { errors } })));
    }
  });

  test.each([
    ['body.title', '--title'],
    ['body.apiKey.expiresInDays', '--expires-in-days'],
    ['body.tags[1]', '--tag'],
    ['body.files[2].path', 'file 3, path'],
    ['query.presentationId', 'presentation id'],
  ])('names %s as %s', (location, shown) => {
    const errors = [{ location, message: 'Wrong.' }];
    const { details: hinted } = addHints(
      new Failure('x', { code: 'invalid-argument', status: 400, details: { errors } }),
    );
    expect(hinted).toEqual({ errors: [{ location: shown, message: 'Wrong.' }] });
  });

  test('keeps what a command has said itself, and the next action of the service for a special case', () => {
    const refused = new Failure('Other.', { code: 'conflict', status: 409, nextAction: 'Choose another slug.' });
    expect(addHints(refused).nextAction).toBe('Choose another slug.');
    const said = refused.with({ message: 'Said.', nextAction: 'Do it.' });
    expect(addHints(said)).toMatchObject({ message: 'Said.', nextAction: 'Do it.' });
  });
});
