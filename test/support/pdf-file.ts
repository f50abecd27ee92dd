import {
  beginText,
  degrees,
  drawImage,
  endText,
  moveText,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFString,
  rgb,
  setFontAndSize,
  showText,
  StandardFonts,
} from 'pdf-lib';

/** A page of a made PDF. */
interface Page {
  heading?: string;
  lines?: string[];
  /** An address, or the number of a page, below the first line. */
  link?: string | number;
  size?: [width: number, height: number];
  /** The bytes of a grey picture of 100 pixels in a row. */
  picture?: Uint8Array | CodedPicture;
  /** Text in a font that is not in the PDF, as bytes in the encoding of its character map. */
  foreign?: { map: string; collection: string; bytes: Buffer };
}

/** A picture that a filter of PDFs decodes. Names in its dictionary are strings. */
export interface CodedPicture {
  bytes: Uint8Array;
  dictionary: { Width: number; Height: number; [key: string]: string | number };
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
  for (const [index, { heading, lines = [], link, picture, foreign }] of pages.entries()) {
    const page = made[index]!;
    const { width, height } = page.getSize();
    page.drawRectangle({ x: 0, y: height - 12, width, height: 12, color: rgb(0.04, 0.38, 0.45) });
    if (heading !== undefined) page.drawText(heading, { x: 60, y: height - 110, size: 44, font });
    lines.forEach((line, at) => page.drawText(line, { x: 60, y: height - 180 - at * 36, size: 24, font }));
    if (picture) {
      const { bytes, dictionary } = picture instanceof Uint8Array ? greyPicture(picture) : picture;
      const image = pdf.context.stream(bytes, { Type: 'XObject', Subtype: 'Image', ...dictionary });
      const name = page.node.newXObject('Picture', pdf.context.register(image));
      page.pushOperators(...drawImage(name, { ...PLACE, ...TURNED }));
    }
    if (foreign) {
      const { map, collection, bytes } = foreign;
      const system = { Registry: PDFString.of('Adobe'), Ordering: PDFString.of(collection), Supplement: 2 };
      const descriptor = { Type: 'FontDescriptor', FontName: 'Foreign', Flags: 4, ItalicAngle: 0, StemV: 80 };
      const metrics = { Ascent: 880, Descent: -120, CapHeight: 700, FontBBox: [0, -120, 1000, 880] };
      const letters = { Type: 'Font', Subtype: 'CIDFontType0', BaseFont: 'Foreign', CIDSystemInfo: system };
      const described = { ...letters, FontDescriptor: pdf.context.obj({ ...descriptor, ...metrics }) };
      const outer = { Type: 'Font', Subtype: 'Type0', BaseFont: 'Foreign', Encoding: map };
      const written = pdf.context.obj({
        ...outer,
        DescendantFonts: [pdf.context.register(pdf.context.obj(described))],
      });
      const name = page.node.newFontDictionary('Foreign', pdf.context.register(written));
      page.pushOperators(beginText(), setFontAndSize(name, 44), moveText(60, 60));
      page.pushOperators(showText(PDFHexString.of(bytes.toString('hex'))), endText());
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

const greyPicture = (bytes: Uint8Array): CodedPicture => ({
  bytes,
  dictionary: { Width: 100, Height: bytes.length / 100, BitsPerComponent: 8, ColorSpace: 'DeviceGray' },
});

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
