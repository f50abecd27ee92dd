import { free, sizeOf, type Drawings } from './drawing';

/** Pixels in a point of a printed page: 150 in an inch. */
const SHARPNESS = 150 / 72;
const MAX_PIXELS = 8_000_000;

interface Printing {
  drawings: Drawings;
  sections: readonly HTMLElement[];
  onPage: (number: number) => void;
  signal: AbortSignal;
}

/** Draws all pages one after another, and prints them. */
export async function printPages({ drawings, sections, onPage, signal }: Printing): Promise<void> {
  const sheets = document.createElement('div');
  sheets.className = 'sheets';
  const addresses: string[] = [];
  const { width, height } = sizeOf(sections[0]!);
  const style = new CSSStyleSheet();
  style.replaceSync(`@page { size: ${width}pt ${height}pt; margin: 0 }`);
  try {
    for (const [index, section] of sections.entries()) {
      onPage(index + 1);
      const image = await pictureOf(drawings, section);
      if (signal.aborted) return;
      addresses.push(image.src);
      sheets.append(image);
    }
    document.body.append(sheets);
    document.adoptedStyleSheets.push(style);
    document.documentElement.classList.add('is-printing');
    await Promise.all([...sheets.querySelectorAll('img')].map((image) => image.decode()));
    // It returns when the dialog of the browser is closed.
    print();
  } finally {
    document.documentElement.classList.remove('is-printing');
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== style);
    sheets.remove();
    for (const address of addresses) URL.revokeObjectURL(address);
  }
}

async function pictureOf(drawings: Drawings, section: HTMLElement): Promise<HTMLImageElement> {
  const page = await drawings.page(section);
  const { width, height } = sizeOf(section);
  const scale = Math.min(SHARPNESS, Math.sqrt(MAX_PIXELS / (width * height)));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport, intent: 'print' }).promise;
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.92));
  free(canvas);
  page.cleanup();
  const image = new Image();
  image.src = URL.createObjectURL(blob!);
  return image;
}
