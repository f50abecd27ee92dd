import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** What a user can start with one choice in the agent's program. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'publish_folder',
    {
      title: 'Publish this folder',
      description: 'Pushes a folder as a deck and answers its share link',
      argsSchema: { folder: z.string().describe('The absolute path of the folder that holds the deck') },
    },
    ({ folder }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: instructions(folder) } }],
    }),
  );
}

const instructions = (folder: string) => `Publish the folder ${JSON.stringify(folder)} as a presentation.

1. Call whoami. When I am not signed in, ask me for my email address and for the code that I get by mail.
2. Call push_folder with dryRun. When it warns about files that viewers will miss, tell me before you go on.
3. Call push_folder.
4. Tell me the share link, and that everyone who has it can open the deck.`;
