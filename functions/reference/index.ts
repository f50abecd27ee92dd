import { markdownOf } from './markdown';
import { openApiDocument } from './openapi';
import { resourcesText } from './resources';

/** The texts of docs/openapi.json, docs/api.md and docs/resources.md. */
export function apiReference(): { openapi: string; markdown: string; resources: string } {
  const document = openApiDocument();
  return {
    openapi: `${JSON.stringify(document, null, 2)}\n`,
    markdown: markdownOf(document),
    resources: resourcesText(),
  };
}
