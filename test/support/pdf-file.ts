import { degrees, drawImage, PDFDocument, PDFName, PDFString, rgb, StandardFonts } from 'pdf-lib';

/** A page of a made PDF. */
interface Page {
  heading?: string;
  lines?: string[];
  /** An address, or the number of a page, below the first line. */
  link?: string | number;
  size?: [width: number, height: number];
  /** The bytes of a grey picture of 100 pixels in a row. */
  picture?: Uint8Array;
}

/** What is in a made PDF. */
export interface PdfContent {
  pages: readonly Page[];
  title?: string;
  language?: string;
  bookmarks?: readonly { title: string; page: number }[];
}

const SLIDE: [number, number] = [960, 540];
/** Where the picture of a page is. */
const PLACE = { x: 60, y: 40, width: 400, height: 200 };
const TURNED = { rotate: degrees(0), xSkew: degrees(0), ySkew: degrees(0) };

/** Makes a PDF. Equal pages make equal bytes. */
export async function aPdf({ pages, title, language, bookmarks = [] }: PdfContent): Promise<Buffer> {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  if (title !== undefined) pdf.setTitle(title);
  if (language !== undefined) pdf.setLanguage(language);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const made = pages.map(({ size = SLIDE }) => pdf.addPage(size));
  for (const [index, { heading, lines = [], link, picture }] of pages.entries()) {
    const page = made[index]!;
    const { width, height } = page.getSize();
    page.drawRectangle({ x: 0, y: height - 12, width, height: 12, color: rgb(0.04, 0.38, 0.45) });
    if (heading !== undefined) page.drawText(heading, { x: 60, y: height - 110, size: 44, font });
    lines.forEach((line, at) => page.drawText(line, { x: 60, y: height - 180 - at * 36, size: 24, font }));
    if (picture) {
      const height = picture.length / 100;
      const dictionary = { Type: 'XObject', Subtype: 'Image', Width: 100, Height: height, BitsPerComponent: 8 };
      const image = pdf.context.stream(picture, { ...dictionary, ColorSpace: 'DeviceGray' });
      const name = page.node.newXObject('Picture', pdf.context.register(image));
      page.pushOperators(...drawImage(name, { ...PLACE, ...TURNED }));
    }
    if (link === undefined) continue;
    const target =
      typeof link === 'number'
        ? { Dest: [made[link - 1]!.ref, 'Fit'] }
        : { A: { Type: 'Action', S: 'URI', URI: PDFString.of(link) } };
    const rect = [60, height - 190, 460, height - 150];
    const annotation = { Type: 'Annot', Subtype: 'Link', Rect: rect, Border: [0, 0, 0], ...target };
    page.node.set(PDFName.of('Annots'), pdf.context.obj([pdf.context.register(pdf.context.obj(annotation))]));
  }
  if (bookmarks.length > 0) {
    const outline = pdf.context.nextRef();
    const refs = bookmarks.map(() => pdf.context.nextRef());
    bookmarks.forEach(({ title: text, page }, at) =>
      pdf.context.assign(
        refs[at]!,
        pdf.context.obj({
          Title: PDFString.of(text),
          Parent: outline,
          ...(at > 0 && { Prev: refs[at - 1]! }),
          ...(at < refs.length - 1 && { Next: refs[at + 1]! }),
          Dest: [made[page - 1]!.ref, 'Fit'],
        }),
      ),
    );
    const ends = { First: refs[0]!, Last: refs.at(-1)!, Count: refs.length };
    pdf.context.assign(outline, pdf.context.obj({ Type: 'Outlines', ...ends }));
    pdf.catalog.set(PDFName.of('Outlines'), outline);
  }
  return Buffer.from(await pdf.save());
}

/** A PDF that says that it is encrypted: it opens with a password that nobody knows. */
export async function aLockedPdf(): Promise<Buffer> {
  const pdf = await PDFDocument.create({ updateMetadata: false });
  pdf.addPage(SLIDE);
  const secret = PDFString.of('x'.repeat(32));
  pdf.context.trailerInfo.Encrypt = pdf.context.register(
    pdf.context.obj({ Filter: 'Standard', V: 1, R: 2, P: -4, O: secret, U: secret }),
  );
  pdf.context.trailerInfo.ID = pdf.context.obj([secret, secret]);
  return Buffer.from(await pdf.save({ useObjectStreams: false }));
}
