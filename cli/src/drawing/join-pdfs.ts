import { PDFDocument } from 'pdf-lib';

/** One PDF with the pages of all parts. `pages` is their number. */
export async function joinPdfs(
  parts: readonly Uint8Array[],
  title: string,
): Promise<{ bytes: Uint8Array; pages: number }> {
  const joined = await PDFDocument.create();
  joined.setTitle(title, { showInWindowTitleBar: true });
  for (const part of parts) {
    const document = await PDFDocument.load(part);
    for (const page of await joined.copyPages(document, document.getPageIndices())) joined.addPage(page);
  }
  return { bytes: await joined.save(), pages: joined.getPageCount() };
}
