import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { isDeckId } from '../deck-id';
import type { Client } from './tool';

interface Extra {
  signal: AbortSignal;
}

/** Decks and listings as resources. A resource holds the JSON document of the command that shows it. */
export function addResources(server: McpServer, { runCommand, address }: Client): void {
  const run = (path: readonly string[], operands: readonly string[], { signal }: Extra) =>
    runCommand(path, { operands }, { address, signal, onProgress: () => undefined });
  const contents = (uri: URL, document: object) => ({
    contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(document) }],
  });

  const decks = new ResourceTemplate('deck://{id}', {
    async list(extra) {
      const { decks: rows } = (await run(['list'], [], extra)) as { decks: { id: string; title: string }[] };
      return {
        resources: rows.map(({ id, title }) => ({
          uri: `deck://${id}`,
          name: title,
          title,
          mimeType: 'application/json',
        })),
      };
    },
  });
  const deckFacts = {
    title: 'Deck',
    description: 'A deck that the user owns or may edit',
    mimeType: 'application/json',
  };
  server.registerResource('deck', decks, deckFacts, async (uri, { id }, extra) => {
    if (!isDeckId(String(id))) throw new Error('The last part of the address is not the id of a deck.');
    return contents(uri, await run(['info'], [String(id)], extra));
  });

  // The marketplace has many listings: a client finds them with search_listings.
  const listings = new ResourceTemplate('listing://{slug}', { list: undefined });
  const listingFacts = { title: 'Listing', description: 'A listing of the marketplace', mimeType: 'application/json' };
  server.registerResource('listing', listings, listingFacts, async (uri, { slug }, extra) =>
    contents(uri, await run(['listing'], [String(slug)], extra)),
  );
}
