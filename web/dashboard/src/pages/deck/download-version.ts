import { zipOf } from 'deckhost-client/browser';
import { service } from '../../service';

/** The browser reads the archive from memory or disk after the click. */
const KEPT_MS = 60_000;

/** Downloads a version as a zip file, and answers the name of the file. Rejects when a file does not arrive whole. */
export async function downloadVersion(presentationId: string, version: number): Promise<string> {
  const { title, stream } = await zipOf(service(), { presentationId, version });
  const archive = await new Response(stream, { headers: { 'Content-Type': 'application/zip' } }).blob();
  const name = `${fileName(title)}-v${version}.zip`;
  saveFile(archive, name);
  return name;
}

/** Saves bytes that the page has, as a download. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** A title without the characters that file systems refuse, and of a length that they accept. */
export const fileName = (title: string): string =>
  title
    .replace(/[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu, ' ')
    .trim()
    .slice(0, 80)
    .trim() || 'deck';
