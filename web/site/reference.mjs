// The pages of the API reference, from docs/api.md and docs/openapi.json, which `npm run docs` makes of the endpoints.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptFor } from './typescript.mjs';

/** `{document, rules, areas, errors}`: the OpenAPI document, and the texts of the reference. */
export function readReference(root, { baseUrl, siteUrl }) {
  const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
  document.servers[0].variables.base_url.default = baseUrl;
  for (const place of [document.info.contact, document.externalDocs])
    place.url = new URL(new URL(place.url).pathname, siteUrl).href;
  const [head, ...parts] = readFileSync(join(root, 'docs/api.md'), 'utf8').split(/^## /m);
  const errors = readErrors(parts.at(-1));
  const areas = parts.filter((part) => !/^(Contents|Errors)\n/.test(part)).map(areaOf);
  for (const endpoint of areas.flatMap(({ endpoints }) => endpoints)) {
    endpoint.markdown = pageOf(endpoint, errors, document, baseUrl);
    for (const code of endpoint.codes) errors.get(code).endpoints.push(endpoint.name);
  }
  const rules = head.split('\n\n').slice(2).join('\n\n').trim();
  return { document, rules, areas, errors: [...errors.values()] };
}

const ERROR = /^\| <a id="error-[\w-]+"><\/a>`([\w-]+)` \| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$/gm;

function readErrors(text) {
  const rows = [...text.matchAll(ERROR)];
  return new Map(
    rows.map(([, code, status, message, nextAction, details]) => [
      code,
      { code, status, message, nextAction, details: details.trim(), endpoints: [] },
    ]),
  );
}

/** The text of an area: its name, a sentence, and a section for each endpoint. */
function areaOf(part) {
  const [head, ...sections] = part.split(/^### /m);
  const [name, ...about] = head.split('\n');
  return { name, about: about.join('\n').trim(), endpoints: sections.map(endpointOf) };
}

/** The text of an endpoint: its name, its addresses, what it does, tables, and a call with curl. */
function endpointOf(section) {
  const [name, ...lines] = section.split('\n');
  const [text, curl] = lines.join('\n').trim().split('```sh\n');
  const blocks = text.trim().split('\n\n');
  const codes = [...text.matchAll(/\(#error-([\w-]+)\)/g)].map(([, code]) => code);
  return { name, about: blocks[1], blocks, codes, curl: curl.split('\n```')[0] };
}

/** The headings before the tables of an endpoint, by the first words of the tables. */
const HEADINGS = [
  [/^\| Input /, 'Input'],
  [/^\| Request header /, 'Request headers'],
  [/^\| Answer/, 'Answer'],
  [/^\| Status \| Answer/, 'Answers'],
  [/^\| Status \| Error/, 'Errors'],
];

function pageOf({ name, blocks, curl }, errors, document, baseUrl) {
  const examples = [
    ['curl', 'sh', curl.replaceAll('$BASE_URL', baseUrl)],
    ['deck', 'sh', commandOf(document, name)],
    ['TypeScript', 'ts', typescriptFor(document, name, baseUrl)],
  ];
  return [
    `# ${name}`,
    // On a phone the cells stand below each other, without their heads.
    ...withHeadings(blocks).map((block) => withNextActions(block, errors).replaceAll(' | yes | ', ' | required | ')),
    '## Examples',
    'Replace the ids by yours. The examples read your key from the variable `API_KEY`, and a session from ' +
      '`SESSION_TOKEN`. `deck` has its own: see [Your first deck](/docs/guides/first-deck).',
    ...examples.flatMap(([title, language, code]) =>
      code ? [`### ${title}`, `\`\`\`${language}\n${code}\n\`\`\``] : [],
    ),
  ].join('\n\n');
}

/** The command of `deck` that makes the call, for the endpoints that a person calls by a command. */
function commandOf(document, name) {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  return operations.find((each) => each['x-endpoint'] === name)['x-codeSamples']?.[0].source;
}

function withHeadings(blocks) {
  const seen = new Set();
  return blocks.flatMap((block) => {
    const heading = HEADINGS.find(([start]) => start.test(block))?.[1];
    if (!heading || seen.has(heading)) return [block];
    seen.add(heading);
    return [`## ${heading}`, block];
  });
}

/** Adds to each error of a table what the caller does next. */
function withNextActions(block, errors) {
  if (!block.startsWith('| Status | Error')) return block;
  const [head, line, ...rows] = block.split('\n');
  const longer = rows.map((row) => {
    const code = /\(#error-([\w-]+)\)/.exec(row)[1];
    return `${row.replace('(#error-', '(/docs/errors#')} ${errors.get(code).nextAction} |`;
  });
  return [`${head} Next action |`, `${line}---|`, ...longer].join('\n');
}
