import type { Schema } from '../../functions/reference/examples';
import { document } from './documented';

type Body = { content: Record<string, { schema: Schema; example: unknown }> };

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  /** The name of a parameter that several operations have. */
  shared?: string;
}

/** One operation of the API reference. */
export interface Operation {
  id: string;
  /** The function. */
  endpoint: string;
  method: string;
  /** The templates of the path below the function's name. */
  segments: readonly string[];
  parameters: readonly Parameter[];
  body?: { type: string; schema: Schema; example: unknown } | undefined;
  answers: Record<string, { content?: Record<string, { schema?: Schema; example?: unknown }> }>;
}

interface Documented {
  operationId: string;
  'x-endpoint': string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: Body;
  responses: Operation['answers'];
}

const sharedParameters = document.components!.parameters as unknown as Record<string, Parameter>;

function parameterOf(parameter: Parameter | { $ref: string }): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const shared = parameter.$ref.split('/').at(-1)!;
  return { ...sharedParameters[shared]!, shared };
}

function bodyOf({ requestBody }: Documented): Operation['body'] {
  const [found] = Object.entries(requestBody?.content ?? {});
  return found && { type: found[0], schema: found[1].schema, example: found[1].example };
}

export const operations: readonly Operation[] = Object.entries(document.paths!).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Documented>).map(([method, operation]) => ({
    id: operation.operationId,
    endpoint: operation['x-endpoint'],
    method: method.toUpperCase(),
    segments: path.split('/').slice(2),
    parameters: (operation.parameters ?? []).map(parameterOf),
    body: bodyOf(operation),
    answers: operation.responses,
  })),
);

/** The first operation of a function. It has a body or path parameters. */
export const operationOf = (name: string): Operation => operations.find(({ endpoint }) => endpoint === name)!;
