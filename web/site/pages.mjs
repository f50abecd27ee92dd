// The pages of the documentation, in the order in which they are read.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { markdownWith } from './markdown.mjs';
import { readReference } from './reference.mjs';

/** Guides that others follow. A guide without a place here stands behind these. */
const GUIDES = [
  'browser',
  'first-deck',
  'versions',
  'links',
  'link-rules',
  'insights',
  'insights-terminal',
  'live',
  'events',
  'webhooks',
  'ci',
  'agents',
  'library',
  'marketplace',
  'account',
  'self-hosting',
];

/**
 * `{pages, sections, openApi}`: each page has its path, title, description, and its text as HTML and as Markdown for
 * agents; `sections` is the navigation; `openApi` the description of the API as JSON.
 */
export function readPages(root, addresses) {
  const reference = readReference(root, addresses);
  const guides = readGuides(root, addresses);
  const commands = readCommands(root, addresses);
  const rules = page('/docs/api', 'API reference', rulesText(reference));
  const errors = page('/docs/errors', 'Errors', errorsText(reference.errors));
  const areas = reference.areas.map(({ name, endpoints }) => ({
    name,
    pages: endpoints.map((each) => ({
      ...page(`/docs/api/${each.name}`, each.name, each.markdown, each.about),
      area: name,
    })),
  }));
  const sections = [
    { name: 'Guides', pages: [...guides, ...commands] },
    { name: 'API', pages: [rules, errors] },
    // The navigation lists the calls beside the reference only.
    ...areas.map((each) => ({ ...each, isReference: true })),
  ];
  const start = page('/docs', 'Documentation', startText(guides, commands, reference));
  const pages = [start, ...sections.flatMap((each) => each.pages)];
  const render = markdownWith(areas.flatMap((area) => area.pages.map(({ title }) => title)));
  return {
    pages: pages.map((each) => ({
      ...each,
      html: render(each.markdown, each.title),
      markdown: forAgents(each, addresses),
    })),
    sections,
    openApi: JSON.stringify(reference.document, null, 2),
  };
}

/** The Markdown with addresses of Markdown files, with the site, so that the text can be read by itself. */
const forAgents = ({ path: own, markdown }, { siteUrl }) =>
  markdown.replace(/\]\((\/[\w./-]*)?(#[\w-]+)?\)/g, (_, path = own, hash = '') => {
    const file = /\.\w+$/.test(path) || !path.startsWith('/docs') ? path : `${path}.md`;
    return `](${siteUrl}${file}${hash})`;
  });

/** A page. Its description is the first sentence after the heading, or of `about`. */
function page(path, title, markdown, about = markdown.split('\n\n')[1]) {
  return { path, title, description: firstSentence(about), markdown };
}

const firstSentence = (text) => plain(text.replaceAll('\n', ' ')).split(/(?<=\.) /)[0];

const plain = (text) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/[`*]/g, '');

/** A guide is a Markdown file. Its first heading is its title. */
function readGuides(root, { baseUrl, siteUrl }) {
  const folder = join(root, 'web/docs/guides');
  const place = (name) => (GUIDES.includes(name) ? GUIDES.indexOf(name) : GUIDES.length);
  return readdirSync(folder)
    .map((file) => file.replace(/\.md$/, ''))
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => {
      const text = readFileSync(join(folder, `${name}.md`), 'utf8');
      const markdown = text.replaceAll('{base_url}', baseUrl).replaceAll('{site_url}', siteUrl).trim();
      return page(`/docs/guides/${name}`, /^# (.+)$/m.exec(markdown)[1], markdown);
    });
}

/** The commands of the client, which `npm run docs` writes from its program. */
function readCommands(root) {
  const file = join(root, 'docs/commands.md');
  return existsSync(file) ? [page('/docs/commands', 'Commands', readFileSync(file, 'utf8').trim())] : [];
}

const listOf = (pages) =>
  pages.map(({ path, title, description }) => `- [${title}](${path}): ${description}`).join('\n');

const endpointsOf = ({ areas }) =>
  areas
    .map(({ name, about, endpoints }) => {
      const lines = endpoints.map((each) => `- [${each.name}](/docs/api/${each.name}): ${firstSentence(each.about)}`);
      return `## ${name}\n\n${about}\n\n${lines.join('\n')}`;
    })
    .join('\n\n');

const rulesText = (reference) => `# API reference

${reference.rules}

**For tools.** [openapi.json](/openapi.json) is the same reference as an OpenAPI 3.1 document. [Errors](/docs/errors)
lists every error with what to do next.

${endpointsOf(reference)}`;

const startText = (guides, commands, reference) => `# Documentation

Deckhost hosts presentations that are made of HTML. You drop a folder onto a page, or push it from a terminal, and send
its link. A new version changes what the link shows; a revoked link shows nothing.

## Guides

${listOf([...guides, ...commands])}

## API

- [API reference](/docs/api): The rules of all calls, and all endpoints on one page.
- [Errors](/docs/errors): Every error, and what to do next.
- [openapi.json](/openapi.json): The description of the API for tools, in OpenAPI 3.1.
- [llms.txt](/llms.txt) and [llms-full.txt](/llms-full.txt): This documentation for language models.

${reference.areas.map(({ name, endpoints }) => `**${name}**: ${endpoints.map((each) => `[${each.name}](/docs/api/${each.name})`).join(', ')}`).join('\n\n')}`;

const errorsText = (errors) => `# Errors

An error is \`{"success": false, "error": {"code", "message", "nextAction", "details", "requestId"}}\`. The codes below are
all that the service answers. A client acts on \`code\`; \`message\` and \`nextAction\` are sentences for people and agents.

${errors.map(errorText).join('\n\n')}`;

/** Beyond this number the list of the endpoints says nothing. */
const SHOWN_ENDPOINTS = 15;

function errorText({ code, status, message, nextAction, details, endpoints }) {
  const links = endpoints.map((name) => `[${name}](/docs/api/${name})`);
  const by = links.length > SHOWN_ENDPOINTS ? `${links.length} endpoints` : links.join(', ');
  return `## ${code}

Status ${status}. ${message}

**Next action:** ${nextAction}
${details && `\nFields of \`details\`, where they apply: ${details}.\n`}
Answered by ${by || 'calls that reach no endpoint'}.`;
}
