import { isAbsolute } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AddressOptions } from '../address';
import type { CommandRenderer } from '../command-line';
import { isDeckId } from '../deck-id';
import type { Profile } from '../profiles';
import type { RunCommand } from '../run-command';
import { inFields, pathsIn, wordsOf, type CommandForm, type ToolForms } from './command-form';
import { isFailure } from './failure';
import { refuseOutsideRoots } from './roots';

/** Runs a command of `deck` and resolves with its JSON document. */
export type Deck = (path: readonly string[], words?: Parameters<RunCommand>[1]) => Promise<Record<string, unknown>>;

/** A tool: what it takes, what it answers, and the command that it runs. */
interface Definition<Input extends z.ZodRawShape> {
  title: string;
  description: string;
  input: Input;
  /** The fields of the answer that agents need. An answer may have more. */
  output: z.ZodRawShape;
  /**
   * Whether it changes nothing, only adds something that its owner can take away, or has the same effect when it is
   * called again. A tool that says neither is destructive: programs of agents ask the user before they call it.
   */
  hints?: { isReadOnly?: boolean; isAdditive?: boolean; isIdempotent?: boolean };
  /** The command that the tool runs, or the commands whose place it takes in hints. */
  command: CommandForm | readonly CommandForm[];
  /** Only for a tool that does more than to run its command. */
  run?: (input: z.output<z.ZodObject<Input>>, deck: Deck, client: Client) => Promise<Record<string, unknown>>;
}

/** What the tools and resources share: how commands are run, and the options that each of them gets. */
export interface Client {
  runCommand: RunCommand;
  address: AddressOptions;
  /** Sets how hints name commands. */
  renderCommands: (renderer: CommandRenderer) => void;
  /** The profile that a sign-in writes. */
  resolveSignIn: (address: AddressOptions) => Promise<Profile>;
}

export interface Tool extends ToolForms {
  register: (name: string, server: McpServer, client: Client) => void;
}

/** Makes a tool of the server from its definition. */
export function tool<Input extends z.ZodRawShape>(definition: Definition<Input>): Tool {
  const { title, description, input, output, hints = {}, command } = definition;
  const forms = { commands: [command].flat(), input };
  const [form] = forms.commands;
  const run: NonNullable<typeof definition.run> =
    definition.run ?? (async (given, deck) => deck(form!.path.split(' '), wordsOf(form!, given)));
  const register: Tool['register'] = (name, server, client) => {
    const { runCommand, address } = client;
    // The SDK infers the arguments from the schema, but not from one of a type that is not known here.
    const inputSchema: z.ZodObject = z.strictObject(input);
    const config = {
      title,
      description,
      inputSchema,
      outputSchema: z.looseObject(output),
      annotations: {
        title,
        readOnlyHint: hints.isReadOnly ?? false,
        destructiveHint: !hints.isReadOnly && !hints.isAdditive,
        idempotentHint: hints.isIdempotent ?? hints.isReadOnly ?? false,
        openWorldHint: true,
      },
    };
    server.registerTool(name, config, async (given, { signal, _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      const onProgress = (message: string, progress: number, total: number) => {
        if (progressToken === undefined) return;
        const params = { progressToken, progress, total, message };
        void sendNotification({ method: 'notifications/progress', params });
      };
      const deck: Deck = (path, words = {}) => runCommand(path, words, { address, signal, onProgress });
      try {
        await refuseOutsideRoots(server, pathsIn(given));
        const answer = withFields(await run(given as z.output<z.ZodObject<Input>>, deck, client), forms);
        return { structuredContent: answer, content: [{ type: 'text', text: JSON.stringify(answer) }] };
      } catch (error) {
        return errorResult(error, forms);
      }
    });
  };
  return { ...forms, register };
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

export const absolutePath = z.string().refine(isAbsolute, 'The path must be absolute.');
export const deck = z
  .string()
  .refine((name) => isDeckId(name) || isAbsolute(name), 'The deck must be an id or an absolute path.')
  .describe('The deck: its id, or the absolute path of the folder that was pushed. A folder is read for .deck.json.');
export const slug = z.string().min(1).describe('The slug of the listing: the last part of its address');
export const link = z.string().min(1).describe('The id of the link, or its name if no other active link has it');
export const version = z.int().min(1);
export const shareUrl = z
  .string()
  .nullish()
  .describe('A secret address: everyone who has it can open the deck. Null or absent without an active link.');
export const presentationId = z.string().describe('The id of the deck');
export const rows = z.array(z.looseObject({}));
