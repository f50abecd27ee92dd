import { sizeOf } from './size';

interface Printing {
  /** Makes the picture of a page. */
  printed: (section: HTMLElement) => Promise<HTMLImageElement>;
  sections: readonly HTMLElement[];
  onPage: (number: number) => void;
  signal: AbortSignal;
}

/** Draws all pages one after another, and prints them. */
export async function printPages({ printed, sections, onPage, signal }: Printing): Promise<void> {
  const sheets = document.createElement('div');
  sheets.className = 'sheets';
  const addresses: string[] = [];
  const style = new CSSStyleSheet();
  try {
    for (const [index, section] of sections.entries()) {
      onPage(index + 1);
      const image = await printed(section);
      if (signal.aborted) return;
      addresses.push(image.src);
      sheets.append(image);
    }
    // The size of a picture is known now.
    const { width, height } = sizeOf(sections[0]!);
    style.replaceSync(`@page { size: ${width}pt ${height}pt; margin: 0 }`);
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
