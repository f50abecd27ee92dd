import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { version } from '../../package.json';
import { toolCall } from './command-form';
import { instructions } from './instructions';
import { addPrompts } from './prompts';
import { addResources } from './resources';
import type { Client, Tool } from './tool';
import { accountTools } from './tools/account';
import { deckTools } from './tools/decks';
import { linkTools } from './tools/links';
import { marketplaceTools } from './tools/marketplace';
import { peopleTools } from './tools/people';
import { versionTools } from './tools/versions';
import { viewTools } from './tools/views';

const areas = [deckTools, linkTools, viewTools, versionTools, peopleTools, marketplaceTools, accountTools];
export const allTools: ReadonlyMap<string, Tool> = new Map(areas.flatMap((area) => Object.entries(area)));

/** The server with its tools, resources and prompts. Without the user's computer, it has those that need none. */
export function agentServer(client: Client): McpServer {
  const { hasComputer } = client;
  const server = new McpServer(
    { name: 'deck', title: 'Presentations', version },
    { instructions: instructions(hasComputer) },
  );
  const tools = new Map([...allTools].filter(([, { needsComputer }]) => hasComputer || !needsComputer));
  client.renderCommands((words) => toolCall(tools, words));
  for (const [name, { register }] of tools) register(name, server, client);
  // The list of the SDK repeats in each tool what programs assume without it.
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools].map(([name, { listed }]) => listed(name, client)),
  }));
  addResources(server, client);
  if (hasComputer) addPrompts(server);
  return server;
}

/**
 * Serves the tools, resources and prompts over standard input and output, until the input ends. This folder is a file
 * of its own in the package: it gets the rest of the client as an argument, so that the file holds no copy of it.
 */
export async function serve(client: Client): Promise<void> {
  const server = agentServer(client);
  const transport = new StdioServerTransport();
  const hasEnded = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    process.stdin.once('end', () => void server.close());
  });
  await server.connect(transport);
  await hasEnded;
}
