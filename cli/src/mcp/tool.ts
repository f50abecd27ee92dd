import { isAbsolute } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, Tool as SdkTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isSlug, SLUG_HINT } from '../../../client/src/slugs';
import type { AddressOptions } from '../address';
import type { CommandRenderer } from '../command-line';
import { isDeckId } from '../deck-id';
import type { Profile } from '../profiles';
import type { ContentsPush } from '../push-contents';
import type { RunCommand, Surroundings } from '../run-command';
import { inFields, pathsIn, wordsOf, type CommandForm, type ToolForms } from './command-form';
import { isFailure } from './failure';
import { refuseOutsideRoots } from './roots';

/** Runs a command of `deck` and resolves with its JSON document. */
export type Deck = (path: readonly string[], words?: Parameters<RunCommand>[1]) => Promise<Record<string, unknown>>;

/** A tool: what it takes, and the command that it runs. */
interface Definition<Input extends z.ZodRawShape> {
  description: string;
  input: Input;
  /**
   * Whether it changes nothing, only adds something that its owner can take away, or has the same effect when it is
   * called again. A tool that says neither is destructive: programs of agents ask the user before they call it.
   */
  hints?: { isReadOnly?: boolean; isAdditive?: boolean; isIdempotent?: boolean };
  /** Whether it works with the user's computer: its folders, keys or profiles. Over HTTP there is none. */
  needsComputer?: true;
  /** The command that the tool runs, or the commands whose place it takes in hints. */
  command: CommandForm | readonly CommandForm[];
  /** Only for a tool that does more than to run its command. */
  run?: (input: z.output<z.ZodObject<Input>>, deck: Deck, client: ToolClient) => Promise<Record<string, unknown>>;
}

/** What the tools and resources share: how commands are run, and the options that each of them gets. */
export interface Client {
  runCommand: RunCommand;
  pushContents: (push: ContentsPush, surroundings: Surroundings) => Promise<Record<string, unknown>>;
  address: AddressOptions;
  /** Whether the process runs on the user's computer, and not where the user is served over HTTP. */
  hasComputer: boolean;
  /** Sets how hints name commands. */
  renderCommands: (renderer: CommandRenderer) => void;
  /** The profile that a sign-in writes. */
  resolveSignIn: (address: AddressOptions) => Promise<Profile>;
}

/** The client in one call of a tool. */
export interface ToolClient extends Pick<Client, 'address' | 'resolveSignIn'> {
  push: (push: ContentsPush) => Promise<Record<string, unknown>>;
}

/** A tool as `tools/list` names it. */
export type ListedTool = Pick<SdkTool, 'name' | 'description' | 'inputSchema' | 'annotations'>;

export interface Tool extends ToolForms {
  needsComputer: boolean;
  register: (name: string, server: McpServer, client: Client) => void;
  listed: (name: string, client: Pick<Client, 'hasComputer'>) => ListedTool;
}

/** Makes a tool of the server from its definition. */
export function tool<Input extends z.ZodRawShape>(definition: Definition<Input>): Tool {
  const { description, input, hints = {}, needsComputer = false, command } = definition;
  const forms = { commands: [command].flat(), input };
  const [form] = forms.commands;
  const run: NonNullable<typeof definition.run> =
    definition.run ?? (async (given, deck) => deck(form!.path.split(' '), wordsOf(form!, given)));
  const register: Tool['register'] = (name, server, client) => {
    const { address } = client;
    // The SDK infers the arguments from the schema, but not from one of a type that is not known here.
    const config = { inputSchema: schemaOf(input, client) };
    server.registerTool(name, config, async (given, { signal, _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      const onProgress = (message: string, progress: number, total: number) => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress, total, message };
        void sendNotification({ method: 'notifications/progress', params });
      };
      const surroundings = { address, signal, onProgress };
      const deck: Deck = (path, words = {}) => client.runCommand(path, words, surroundings);
      const push: ToolClient['push'] = (contents) => client.pushContents(contents, surroundings);
      try {
        await refuseOutsideRoots(server, pathsIn(given));
        const answer = withFields(await run(given as z.output<z.ZodObject<Input>>, deck, { ...client, push }), forms);
        return { structuredContent: answer, content: [{ type: 'text', text: JSON.stringify(answer) }] };
      } catch (error) {
        return errorResult(error, forms);
      }
    });
  };
  const annotations = annotationsOf(hints);
  const listed: Tool['listed'] = (name, client) => {
    const inputSchema = jsonSchemaOf(schemaOf(input, client));
    return { name, description, inputSchema, ...(annotations && { annotations }) };
  };
  return { ...forms, needsComputer, register, listed };
}

/** The input of a tool. Without the user's computer, no field is a path. */
function schemaOf(input: z.ZodRawShape, { hasComputer }: Pick<Client, 'hasComputer'>): z.ZodObject {
  if (hasComputer) return z.strictObject(input);
  const fields = Object.entries(input).filter(([, schema]) => !paths.has(schema));
  return z.strictObject(Object.fromEntries(fields.map(([name, schema]) => [name, withoutPath(schema)])));
}

const withoutPath = (schema: z.ZodRawShape[string]) =>
  schema === deck ? deckId : schema === optionalDeck ? deckId.optional() : schema;

/**
 * The schema as agents read it, which every session pays for: without the dialect, without the largest number that a
 * computer counts, without the word that a text is not empty, and without the word that other fields are refused.
 */
function jsonSchemaOf(schema: z.ZodObject): ListedTool['inputSchema'] {
  const {
    $schema: _dialect,
    additionalProperties: _refused,
    ...described
  } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  return described as ListedTool['inputSchema'];
}

/** The hints that differ from what a program assumes without them: a tool that is destructive, and not idempotent. */
function annotationsOf({ isReadOnly, isAdditive, isIdempotent }: NonNullable<Definition<z.ZodRawShape>['hints']>) {
  if (isReadOnly) return { readOnlyHint: true };
  if (!isAdditive && !isIdempotent) return undefined;
  return { ...(isAdditive && { destructiveHint: false }), ...(isIdempotent && { idempotentHint: true }) };
}

/** The texts of warnings and failures name options of the command. The agent reads the fields of the tool. */
function withFields<T extends object>(document: T, forms: ToolForms): T {
  const named = Object.entries(document).map(([key, value]): [string, unknown] => {
    if (key === 'warnings' || key === 'errors' || key === 'checks')
      return [key, (value as object[]).map((each) => withFields(each, forms))];
    const isText = ['message', 'nextAction', 'location'].includes(key) && typeof value === 'string';
    return [key, isText ? inFields(value, forms) : value];
  });
  return Object.fromEntries(named) as T;
}

/** An expected error as a result that the agent reads. */
function errorResult(error: unknown, forms: ToolForms): CallToolResult {
  if (!isFailure(error)) throw error;
  const { code, message, nextAction, requestId, details } = error;
  const shown = { code, message, nextAction, requestId, details: details && withFields(details, forms) };
  const text = JSON.stringify(withFields(shown, forms));
  return { isError: true, content: [{ type: 'text', text }] };
}

const absolutePath = z.string().refine(isAbsolute, 'The path must be absolute.');
export const deckId = z.string().refine(isDeckId, 'The deck must be an id.').describe('The id of the deck');
/** A deck that the command may also find by a folder. */
export const deck = z
  .string()
  .refine((name) => isDeckId(name) || isAbsolute(name), 'The deck must be an id or an absolute path.')
  .describe('Id or absolute path');
export const optionalDeck = deck.optional();
/** A folder that a tool reads or writes. */
export const folder = absolutePath.describe('Absolute path');
export const newFolder = absolutePath.optional().describe('Absolute path of a new or empty folder');
const paths = new Set<unknown>([folder, newFolder]);
export const slug = z.string().refine(isSlug, SLUG_HINT).describe('End of its address');
export const link = z.string().min(1).describe('Id or name');
export const version = z.int().min(1);
