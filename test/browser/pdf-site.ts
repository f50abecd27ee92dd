import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { answerDeck, type Site } from '../../cli/src/site/answer-deck';
import { serveSite } from '../../cli/src/site/serve-site';
import { openPdf } from '../../client/src/pdf/open-pdf';
import type { OpenSource } from '../../client/src/push/disk-source';
import { aPdf, type PdfContent } from '../support/pdf-file';
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
let made = 0;

/** The source of a deck that is one PDF. */
export async function pdfSource(content: PdfContent): Promise<OpenSource> {
  const path = join(tmpdir(), `${made++}.pdf`);
  await writeFile(path, await aPdf(content));
  return openPdf(path);
}

/** The deck of a source. */
async function siteOf({ source }: OpenSource): Promise<Site> {
  const { files, entryPath } = await source.read(noChoice, {});
  const byPath = new Map(files.map((each) => [each.path, each]));
  return { entryPath, has: (name) => byPath.has(name), read: async (name) => byPath.get(name)! };
}

/** The deck of a source, served as on its own origin. `change` puts the deck of another source in its place. */
export async function serveSource(opened: OpenSource) {
  let site = await siteOf(opened);
  const server = await serveSite(0, (request, response) => answerDeck(request, response, site));
  const change = async (next: OpenSource) => {
    site = await siteOf(next);
  };
  return { ...server, change };
}

/** The files of the deck of a PDF, whose entry is the first one. */
export async function pdfDeckFiles(content: PdfContent): Promise<DeckFile[]> {
  const { source, close } = await pdfSource(content);
  try {
    const { files } = await source.read(noChoice, {});
    return await Promise.all(files.map(async (each) => file(each.path, await readFile(each.absolutePath))));
  } finally {
    await close();
  }
}
