'use strict';

/** The API reference, made from the endpoint objects, the sentences above them and the error table. */

const { readFileSync, readdirSync } = require('node:fs');
const { basename, join } = require('node:path');

/**
 * @param {Record<string, {definition?: any}>} functions what functions/ exports
 * @param {Record<string, {status: number, message: string, nextAction: string}>} errorTable
 * @returns {{openapi: string, markdown: string}} the two documents as text
 */
function apiReference(functions, errorTable) {
  const sentences = readSentences();
  const definitions = Object.values(functions).flatMap(({ definition }) =>
    definition ? { ...definition, about: sentences[definition.name] } : [],
  );
  return {
    openapi: JSON.stringify(openApi(definitions, errorTable), null, 2) + '\n',
    markdown: markdown(definitions, errorTable),
  };
}

/** What the file of each endpoint says of it, by the endpoint's name. */
function readSentences() {
  const areas = join(__dirname, '../functions/src/endpoints');
  const files = readdirSync(areas).flatMap((area) =>
    readdirSync(join(areas, area)).map((name) => join(areas, area, name)),
  );
  return Object.fromEntries(
    files.map((file) => {
      const [, comment = ''] = /^\/\*\*(.*?)\*\//ms.exec(readFileSync(file, 'utf8')) ?? [];
      return [basename(file, '.ts'), comment.replace(/\s*\n \*\s?/g, ' ').trim()];
    }),
  );
}

const COMMON = ['invalid-argument', 'method-not-allowed', 'internal'];
const OF_KEYS = ['unauthenticated', 'permission-denied'];

const CALLERS = {
  anyone: 'anyone',
  'optional-key': 'anyone; more for the owner’s key',
  'any-key': 'any key',
  session: 'session of the dashboard',
  'any-key-or-session': 'any key, or session of the dashboard',
};
const needsKey = ({ caller }) => caller !== 'anyone' && caller !== 'optional-key';

function codesOf(definition) {
  const { errors, answer } = definition;
  const common = COMMON.filter((code) => code !== 'internal' || !errors.includes('INTERNAL'));
  const tooLarge = answer ? ['payload-too-large'] : [];
  return [...new Set([...common, ...(needsKey(definition) ? OF_KEYS : []), ...tooLarge, ...errors])];
}

function callerOf({ caller }) {
  const named = CALLERS[caller];
  if (named) return named;
  const deck = { owner: ', owner of the deck', member: ', owner or dev of the deck' }[caller.deck] ?? '';
  return `key with \`${caller.scope}\`${deck}${caller.orSession ? ', or session of the dashboard' : ''}`;
}

const schemaOf = (schema, io) => {
  const { $schema: _, ...json } = schema.toJSONSchema({ io, unrepresentable: 'any' });
  return json;
};

function openApi(definitions, errorTable) {
  const paths = {};
  for (const definition of definitions) {
    for (const method of [definition.method].flat()) {
      (paths[`/${definition.name}`] ??= {})[method.toLowerCase()] = operation(definition, method, errorTable);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Presentation hosting service', version: '1' },
    servers: [
      { url: '{base_url}', variables: { base_url: { default: 'http://127.0.0.1:5001/demo-decks/us-central1' } } },
    ],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema },
    },
  };
}

function operation(definition, method, errorTable) {
  const byStatus = {};
  for (const code of codesOf(definition)) (byStatus[errorTable[code].status] ??= []).push(code);
  const failure = definition.answer
    ? { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    : { 'text/html': {}, 'text/plain': {} };
  const input = definition.input && schemaOf(definition.input, 'input');
  const isForm = Boolean(definition.read);
  return {
    summary: definition.about,
    operationId: method === 'HEAD' ? `${definition.name}Head` : definition.name,
    // The empty choice says that the key may be left out.
    ...(definition.caller !== 'anyone' && { security: [...(needsKey(definition) ? [] : [{}]), { apiKey: [] }] }),
    ...(input &&
      method === 'POST' && {
        requestBody: { content: { [isForm ? 'multipart/form-data' : 'application/json']: { schema: input } } },
      }),
    ...(input &&
      method === 'GET' && {
        parameters: Object.entries(input.properties ?? {}).map(([name, schema]) => ({
          name,
          in: 'query',
          required: (input.required ?? []).includes(name),
          schema,
        })),
      }),
    responses: {
      200: definition.answer
        ? {
            description: 'Success',
            content: { 'application/json': { schema: envelope(schemaOf(definition.answer, 'output')) } },
          }
        : { description: 'Success' },
      ...Object.fromEntries(
        Object.entries(byStatus).map(([status, codes]) => [
          status,
          { description: codes.join(', '), content: failure },
        ]),
      ),
    },
  };
}

const envelope = (data) => ({
  type: 'object',
  required: ['success', 'data'],
  properties: { success: { const: true }, data },
});

const errorSchema = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        nextAction: { type: 'string' },
        details: { type: 'object' },
        requestId: { type: 'string' },
      },
    },
  },
};

function markdown(definitions, errorTable) {
  const rows = definitions.map(
    (definition) =>
      `| ${[definition.method].flat().join(', ')} | [\`/${definition.name}\`](#${definition.name.toLowerCase()}) | ${callerOf(definition)} |`,
  );
  return `# API reference

Generated from the endpoints by \`npm run docs\`; the same as OpenAPI is in [openapi.json](openapi.json).

| method | path | caller |
|---|---|---|
${rows.join('\n')}

${definitions.map((definition) => section(definition)).join('\n')}
## Errors

\`{"success": false, "error": {"code", "message", "nextAction", "details", "requestId"}}\`

| code | status | message | nextAction |
|---|---|---|---|
${Object.entries(errorTable)
  .map(([code, { status, message, nextAction }]) => `| \`${code}\` | ${status} | ${message} | ${nextAction} |`)
  .join('\n')}
`;
}

function section(definition) {
  const input = definition.input && schemaOf(definition.input, 'input');
  const answer = definition.answer && schemaOf(definition.answer, 'output');
  return `## ${definition.name}

**${[definition.method].flat().join(', ')}** \`/${definition.name}\` — ${callerOf(definition)}

${definition.about}

${input ? fields('Field', input) : ''}${answer ? fields('Answer', answer) : ''}Errors: ${codesOf(definition)
    .map((code) => `\`${code}\``)
    .join(', ')}
`;
}

function fields(heading, schema) {
  if (schema.anyOf) return schema.anyOf.map((each) => fields(heading, each)).join('');
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `| \`${name}\` | ${typeOf(property)} | ${(schema.required ?? []).includes(name) ? 'yes' : ''} |`,
  );
  return rows.length === 0 ? '' : `| ${heading} | type | always |\n|---|---|---|\n${rows.join('\n')}\n\n`;
}

function typeOf(schema) {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object') return `{${Object.keys(schema.properties ?? {}).join(', ')}}`;
  return schema.type ?? 'any';
}

module.exports = { apiReference };
