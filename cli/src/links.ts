import { join } from 'node:path';
import { configFolder, readJson, writeSecret } from './storage';

/**
 * Share links are secrets: whoever has one sees the deck. They stay in the user's config folder and never go into the
 * pushed folder, which may be committed or published.
 */
type LinkFile = Record<string, string>;

export async function findLink(baseUrl: string, presentationId: string): Promise<string | undefined> {
  return (await readJson<LinkFile>(linksPath()))?.[key(baseUrl, presentationId)];
}

export async function rememberLink(baseUrl: string, presentationId: string, shareUrl: string): Promise<void> {
  const links = await readJson<LinkFile>(linksPath());
  const name = key(baseUrl, presentationId);
  if (links?.[name] !== shareUrl) await writeSecret(linksPath(), { ...links, [name]: shareUrl });
}

function key(baseUrl: string, presentationId: string): string {
  return `${baseUrl} ${presentationId}`;
}

function linksPath(): string {
  return join(configFolder(), 'links.json');
}
