import { zipOf } from 'deckhost-client/browser';
import { service } from '../../service';
import { fileName, saveFile } from './save-file';

/** Downloads a version as a zip file, and answers the name of the file. Rejects when a file does not arrive whole. */
export async function downloadVersion(presentationId: string, version: number): Promise<string> {
  const { title, stream } = await zipOf(service(), { presentationId, version });
  const archive = await new Response(stream, { headers: { 'Content-Type': 'application/zip' } }).blob();
  const name = `${fileName(title)}-v${version}.zip`;
  saveFile(archive, name);
  return name;
}
