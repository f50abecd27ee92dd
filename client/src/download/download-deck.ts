import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { claimFolder, releaseFolder, storeState } from './download-state';
import { fillFolder, type Version } from './fill-folder';

/** A deck, and the folder that it shall be downloaded into. */
export interface DownloadRequest {
  presentationId: string;
  /** A new or an empty folder, or one that an interrupted download of this deck left. */
  folder: string;
  /** Default: the current version; for an interrupted download the version that it began with. */
  version?: number | undefined;
}

/** What a download did. */
export interface DownloadOutcome extends Omit<Version, 'files'> {
  /** The real path of the folder. */
  folder: string;
  /** Paths that were not downloaded, because a push would ignore them too. */
  leftOut: string[];
}

/**
 * Downloads a version of a deck into a folder that can be pushed. After an interruption, the same call resumes: files
 * that are whole are not downloaded again. Throws `folder-not-empty` and, for a deck that the caller may not edit,
 * `not-found` or `permission-denied`.
 */
export async function download(
  service: DeckService,
  { presentationId, folder: name, version: wantedVersion }: DownloadRequest,
  reporter: Reporter = {},
): Promise<DownloadOutcome> {
  const { baseUrl } = service;
  const request = { source: presentationId, baseUrl, wantedVersion };
  const claimed = await claimFolder(name, request);
  const { folder, unfinished } = claimed;
  const number = String(unfinished?.version ?? wantedVersion ?? 'latest');
  const found = await service
    .get('getPresentationVersion', { presentationId, version: number })
    .catch(async (error: unknown) => {
      if (!unfinished) await releaseFolder(claimed);
      throw error;
    });
  await storeState(folder, { ...request, presentationId, version: found.version });
  const { leftOut } = await fillFolder(service, { folder, baseUrl, presentationId }, found, reporter);
  const { files: _files, ...facts } = found;
  return { ...facts, folder, leftOut };
}
