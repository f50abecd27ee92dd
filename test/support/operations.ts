import type { Schema } from '../../functions/reference/examples';
import { openApiDocument } from '../../functions/reference/openapi';

export const document = openApiDocument();

interface Body {
  content: Record<string, { schema: Schema; example: unknown }>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

/** One operation of the document, as the fuzzer uses it. */
export interface Operation {
  id: string;
  /** The function. */
  endpoint: string;
  method: string;
  /** The templates of the path below the function's name. */
  segments: readonly string[];
  parameters: readonly Parameter[];
  body?: { type: string; schema: Schema; example: unknown } | undefined;
}

interface Documented {
  operationId: string;
  'x-endpoint': string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body;
}

const shared = document.components!.parameters as unknown as Record<string, Parameter>;

function parameterOf(parameter: Parameter | { $ref: string }): Parameter {
  const name = '$ref' in parameter ? parameter.$ref.split('/').at(-1)! : '';
  return (name ? shared[name] : parameter) as Parameter;
}

function bodyOf({ requestBody }: Documented): Operation['body'] {
  const [found] = Object.entries(requestBody?.content ?? {});
  return found && { type: found[0], schema: found[1].schema, example: found[1].example };
}

/** Every operation of the document. */
export const operations: readonly Operation[] = Object.entries(document.paths!).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Documented>).map(([method, operation]) => ({
    id: operation.operationId,
    endpoint: operation['x-endpoint'],
    method: method.toUpperCase(),
    segments: path.split('/').slice(2),
    parameters: (operation.parameters ?? []).map(parameterOf),
    body: bodyOf(operation),
  })),
);
