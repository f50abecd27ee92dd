import { markdownOf } from './markdown';
import { openApiDocument } from './openapi';

/** The texts of docs/openapi.json and docs/api.md. */
export function apiReference(): { openapi: string; markdown: string } {
  const document = openApiDocument();
  return { openapi: `${JSON.stringify(document, null, 2)}\n`, markdown: markdownOf(document) };
}
