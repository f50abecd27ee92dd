import { join } from 'node:path';
import { readJson, writeSecretJson } from '../../client/src/json-file';
import { configFolder } from './config-folder';

/**
 * Share links are secrets: everyone who has a link can see the deck. They are stored in the user's config folder and
 * never in the pushed folder, which may be committed or published.
 */
type LinkFile = Record<string, string>;

export async function findLink(baseUrl: string, presentationId: string): Promise<string | undefined> {
  return (await readLinks())[linkKey(baseUrl, presentationId)];
}

export async function storeLink(baseUrl: string, presentationId: string, shareUrl: string): Promise<void> {
  const links = await readLinks();
  const key = linkKey(baseUrl, presentationId);
  if (links[key] !== shareUrl) await writeSecretJson(linksPath(), { ...links, [key]: shareUrl });
}

/** Forgets the link of a deck that opens nothing any more. */
export async function deleteLink(baseUrl: string, presentationId: string): Promise<void> {
  const { [linkKey(baseUrl, presentationId)]: deleted, ...others } = await readLinks();
  if (deleted !== undefined) await writeSecretJson(linksPath(), others);
}

/** The remembered links, by `linkKey`. */
export async function readLinks(): Promise<LinkFile> {
  return (await readJson<LinkFile>(linksPath())) ?? {};
}

export function linkKey(baseUrl: string, presentationId: string): string {
  return `${baseUrl} ${presentationId}`;
}

function linksPath(): string {
  return join(configFolder(), 'links.json');
}
