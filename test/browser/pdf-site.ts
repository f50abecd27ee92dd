import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { answerDeck } from '../../cli/src/site/answer-deck';
import { serveSite, type SiteServer } from '../../cli/src/site/serve-site';
import { openPdf } from '../../client/src/pdf/open-pdf';
import type { OpenSource } from '../../client/src/push/disk-source';
import type { DeckFile } from '../support/world';
import { until } from './browser';
import { file } from './small-decks';

/** Waits until a page is drawn and is the only one that is shown. */
export const shown = (page: Page | Frame, number: number) =>
  until(
    page,
    `[...document.querySelectorAll('.pdf-pages > section')].every((section, index) =>
    (index === ${number - 1}) === (section.matches('.shown:has(canvas, img)') && !section.hidden))`,
  );

const noChoice = { chosen: undefined, remembered: undefined };

/** The deck of a source, served as on its own origin. */
export async function serveSource({ source }: OpenSource): Promise<SiteServer> {
  const { files, entryPath } = await source.read(noChoice, {});
  const byPath = new Map(files.map((each) => [each.path, each]));
  const site = { entryPath, has: (name: string) => byPath.has(name), read: async (name: string) => byPath.get(name)! };
  return serveSite(0, (request, response) => answerDeck(request, response, site));
}

/** The files of the deck of a PDF, whose entry is the first one. The folder gets the PDF. */
export async function pdfDeckFiles(folder: string, bytes: Buffer): Promise<DeckFile[]> {
  const path = join(folder, 'talk.pdf');
  await writeFile(path, bytes);
  const { source, close } = await openPdf(path);
  try {
    const { files } = await source.read(noChoice, {});
    return await Promise.all(files.map(async (each) => file(each.path, await readFile(each.absolutePath))));
  } finally {
    await close();
  }
}
