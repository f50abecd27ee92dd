import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '../../functions/src/errors';
import * as functions from '../../functions/src/index';
import { endpoints } from '../support/endpoints';
import { apiReference } from '../../scripts/api-reference.cjs';

const docs = (name: string) => readFileSync(join(__dirname, '../../docs', name), 'utf8');

test('the API reference is that of the endpoints: run `npm run docs` when this fails', () => {
  const { openapi, markdown } = apiReference(functions, errorTable);
  expect(docs('api.md')).toBe(markdown);
  expect(docs('openapi.json')).toBe(openapi);
});

test('every code that an endpoint declares stands in the one error table', () => {
  for (const { definition } of Object.values(endpoints)) {
    for (const code of definition.errors) expect(errorTable).toHaveProperty(code);
  }
});
