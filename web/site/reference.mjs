// The pages of the API reference, from docs/api.md and docs/openapi.json, which `npm run docs` makes of the endpoints.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandFor } from './deck-examples.mjs';
import { typescriptFor } from './typescript.mjs';

/** The headings that a page puts before the tables of an endpoint, by the first words of the table. */
const HEADINGS = [
  [/^\| Input /, 'Input'],
  [/^\| Request header /, 'Request headers'],
  [/^\| Answer/, 'Answer'],
  [/^\| Status \| Answer/, 'Answers'],
  [/^\| Status \| Error/, 'Errors'],
];

/** `{rules, areas, errors}`: the texts of the reference, with an area for each part of the API. */
export function readReference(root, addresses) {
  const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
  document.servers[0].variables.base_url.default = addresses.baseUrl;
  const [head, ...parts] = readFileSync(join(root, 'docs/api.md'), 'utf8').split(/^## /m);
  const rules = head.slice(head.indexOf('\n\n', head.indexOf('\n\n') + 2)).trim();
  const areas = parts
    .filter((part) => !/^(Contents|Errors)\n/.test(part))
    .map((part) => {
      const [about, ...sections] = part.split(/^### /m);
      const [name, ...texts] = about.split('\n');
      return {
        name,
        about: texts.join('\n').trim(),
        endpoints: sections.map((section) => endpointOf(section, document, addresses)),
      };
    });
  return { document, rules, areas, errors: errorsOf(parts.at(-1), areas) };
}

function endpointOf(section, document, addresses) {
  const name = section.slice(0, section.indexOf('\n')).trim();
  const [text, curl = ''] = section.slice(name.length).split('```sh\n');
  const seen = new Set();
  const blocks = text
    .trim()
    .split('\n\n')
    .map((block) => {
      const heading = HEADINGS.find(([start]) => start.test(block))?.[1];
      if (!heading || seen.has(heading)) return block;
      seen.add(heading);
      return `## ${heading}\n\n${block}`;
    });
  const examples = [
    ['curl', 'sh', curl.split('\n```')[0].replaceAll('$BASE_URL', addresses.baseUrl)],
    ['deck', 'sh', commandFor[name]],
    ['TypeScript', 'ts', typescriptFor(document, name, addresses.baseUrl)],
  ].filter(([, , code]) => code);
  return {
    name,
    about: blocks[1],
    errors: [...text.matchAll(/\(#error-([\w-]+)\)/g)].map(([, code]) => code),
    markdown: [
      `# ${name}`,
      ...blocks,
      '## Examples',
      ...examples.map(([title, language, code]) => `### ${title}\n\n\`\`\`${language}\n${code}\n\`\`\``),
    ]
      .join('\n\n')
      .replace(/\(#error-([\w-]+)\)/g, '(/docs/errors#$1)'),
  };
}

const ROW = /^\| <a id="error-[\w-]+"><\/a>`([\w-]+)` \| (\d+) \| (.+) \| (.+) \|$/gm;

/** Every error of the table with its status, its texts and the endpoints that answer it. */
function errorsOf(table, areas) {
  return [...table.matchAll(ROW)].map(([, code, status, message, nextAction]) => ({
    ...{ code, status, message, nextAction },
    endpoints: areas.flatMap(({ endpoints }) => endpoints.filter(({ errors }) => errors.includes(code))),
  }));
}
