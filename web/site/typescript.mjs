// The TypeScript example of each endpoint: a call of the client library, or of `fetch` where the library does not make
// the call. It makes those with a body and an answer in JSON, in the envelope of the service, without cookies.

const JSON_TYPE = 'application/json';

/** The example of an endpoint, made from the examples of the OpenAPI document. */
export function typescriptFor(document, name, baseUrl) {
  const [path, method, operation] = Object.entries(document.paths)
    .flatMap(([path, item]) => Object.entries(item).map((entry) => [path, ...entry]))
    .find(([, , each]) => each['x-endpoint'] === name);
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const parameters = (operation.parameters ?? []).filter(
    (each) => each.in === 'path' || (each.in === 'query' && each.required),
  );
  const values = Object.fromEntries(parameters.map((each) => [each.name, String(exampleOf(document, each.schema))]));
  const isRedirect = [302, 303].some((status) => operation.responses[status] !== undefined);
  const input = body?.example ?? {};
  const call = { document, name, path, method, type, input, values, parameters, baseUrl, isRedirect };
  const secret = secretOf(operation);
  return isOfLibrary(operation, type) ? libraryCall(call, secret) : fetchCall(call, secret);
}

function isOfLibrary({ responses }, type) {
  const { content = {}, headers = {} } = responses[200] ?? {};
  const isJson = Object.keys(content).join() === JSON_TYPE && (!type || type === JSON_TYPE);
  return isJson && content[JSON_TYPE].schema !== undefined && !headers['Set-Cookie'];
}

function secretOf({ security = [] }) {
  const [scheme] = security.flatMap((each) => Object.keys(each));
  return scheme && `process.env['${scheme === 'dashboardSession' ? 'SESSION_TOKEN' : 'API_KEY'}']`;
}

function libraryCall({ name, method, input, values, baseUrl }, secret) {
  const fields = method === 'get' ? values : input;
  const argument = Object.keys(fields).length > 0 || method === 'post' ? `, ${literal(fields)}` : '';
  return `import { DeckService } from 'deckhost-client';

const service = new DeckService({
  baseUrl: '${baseUrl}',${secret ? `\n  key: ${secret},` : ''}
});
const answer = await service.${method}('${name}'${argument});
console.log(answer);
service.close();`;
}

function fetchCall(call, secret) {
  const { method, type, isRedirect } = call;
  const made = type === 'multipart/form-data' ? formLines(call) : [];
  const isJson = type === JSON_TYPE;
  const text = type && `${isJson ? 'JSON.stringify' : 'new URLSearchParams'}(${literal(call.input)})`;
  const body = made.length > 0 ? 'form' : text;
  const headers = [
    ...(secret ? [`Authorization: \`Bearer \${${secret}}\``] : []),
    ...(isJson ? [`'Content-Type': '${JSON_TYPE}'`] : []),
  ];
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body ? [`  body: ${body},`] : []),
    ...(isRedirect ? [`  redirect: 'manual',`] : []),
  ];
  const second = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    ...made,
    `const response = await fetch('${addressOf(call)}'${second});`,
    `console.log(response.status, ${isRedirect ? "response.headers.get('Location')" : 'await response.text()'});`,
  ].join('\n');
}

function formLines({ input }) {
  const lines = Object.entries(input).map(([field, value]) => {
    const [, file, type = 'text/html'] = /^@([^;]+)(?:;type=(.*))?$/.exec(value) ?? [];
    if (!file) return `form.append('${field}', '${value}');`;
    return `form.append('${field}', new Blob([await readFile('${file}')], { type: '${type}' }));`;
  });
  return ["import { readFile } from 'node:fs/promises';", '', 'const form = new FormData();', ...lines];
}

function addressOf({ path, parameters, values, baseUrl }) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => [name, values[name]]);
  return `${baseUrl}${filled}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
}

function exampleOf(document, schema) {
  const {
    examples,
    enum: values,
    default: initial,
  } = schema.$ref ? document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] : schema;
  return examples?.[0] ?? initial ?? values?.[0];
}

/** A value of JSON as TypeScript writes it. */
function literal(value, indent = '') {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (value === null || typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => literal(each, `${indent}  `))
    : Object.entries(value).map(
        ([name, each]) =>
          `${/^\w+$/.test(name) && !/^\d/.test(name) ? name : `'${name}'`}: ${literal(each, `${indent}  `)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (parts.length === 0) return `${open}${close}`;
  if (indent.length + line.length <= 80 && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part},`).join('\n')}\n${indent}${close}`;
}
