import { Failure, service } from '../../service';
import { words } from '../../words/en';

const addressesOf = (presentationId: string, version: number, signal?: AbortSignal) =>
  service().post('previewPresentationVersion', { presentationId, version }, { signal });

/** The address of a version for a frame. No link is made, and no view is counted. */
export const framedVersion = async (presentationId: string, version: number, signal?: AbortSignal) =>
  (await addressesOf(presentationId, version, signal)).frameUrl;

/**
 * Opens a version in a window. Browsers let a page open one only at once after a click, so it opens before the service
 * has answered.
 */
export async function openVersion(presentationId: string, version: number): Promise<void> {
  const opened = window.open('', '_blank');
  if (!opened) throw new Failure(words.deckVersions.noWindow, { code: 'no-window' });
  opened.opener = null;
  try {
    const { openUrl, frameUrl } = await addressesOf(presentationId, version);
    opened.location.replace(openUrl ?? frameUrl);
  } catch (error) {
    opened.close();
    throw error;
  }
}
