import { TextLayer, type PDFDocumentProxy, type PDFPageProxy, type RenderTask } from 'pdfjs-dist';
import { sizeOf } from './size';

/** iOS refuses larger canvases. */
const MAX_PIXELS = 16_000_000;
/** Pixels in a point of a printed page: 150 in an inch. */
const PRINTED_SCALE = 150 / 72;
const MAX_PRINTED_PIXELS = 8_000_000;
/** How many pages keep their pictures beside the page that is shown and the one that is drawn: the one before it. */
const KEPT = 1;

interface Drawn {
  canvas: HTMLCanvasElement;
  task?: RenderTask;
  /** Device pixels in a point. */
  scale: number;
  done: Promise<void>;
  hasText: boolean;
}

/** Draws pages into their sections, and forgets all but a few. */
export class Drawings {
  private readonly drawn = new Map<HTMLElement, Drawn>();

  constructor(
    private readonly pdf: Promise<PDFDocumentProxy>,
    private readonly sections: readonly HTMLElement[],
  ) {}

  /** Resolves when the page is drawn so sharp. Rejects when it cannot be drawn. */
  async draw(section: HTMLElement, wantedScale: number): Promise<void> {
    const scale = Math.min(wantedScale, Math.sqrt(MAX_PIXELS / areaOf(section)));
    const known = this.drawn.get(section);
    this.keep(section);
    // A picture that is a bit larger is as good.
    if (known && known.scale >= scale * 0.99 && known.scale <= scale * 2) return known.done;
    const canvas = document.createElement('canvas');
    const next: Drawn = { canvas, scale, hasText: known?.hasText ?? false, done: Promise.resolve() };
    known?.task?.cancel();
    next.done = this.render(section, next, known);
    this.drawn.set(section, next);
    next.done.catch(() => {
      if (this.drawn.get(section) === next) this.drawn.delete(section);
    });
    return next.done;
  }

  private async render(section: HTMLElement, next: Drawn, known: Drawn | undefined): Promise<void> {
    const { canvas, scale } = next;
    const page = await this.page(section);
    const viewport = page.getViewport({ scale });
    canvas.width = Math.max(1, Math.floor(viewport.width));
    canvas.height = Math.max(1, Math.floor(viewport.height));
    next.task = page.render({ canvas, viewport });
    await next.task.promise;
    // The picture before it is shown until now.
    section.prepend(canvas);
    known?.canvas.remove();
    if (known) free(known.canvas);
    if (!next.hasText) await this.write(section, page);
    next.hasText = true;
  }

  /** Lays the text of the page over its picture, where it can be selected. */
  private async write(section: HTMLElement, page: PDFPageProxy): Promise<void> {
    const container = document.createElement('div');
    container.className = 'textLayer';
    const viewport = page.getViewport({ scale: 1 });
    await new TextLayer({ textContentSource: page.streamTextContent(), container, viewport }).render();
    container.style.removeProperty('width');
    container.style.removeProperty('height');
    section.querySelector('.textLayer')?.remove();
    const text = section.querySelector<HTMLElement>('.text')!;
    text.after(container);
    text.hidden = true;
  }

  /** The picture of a page for the printer. */
  async printed(section: HTMLElement): Promise<HTMLImageElement> {
    const page = await this.page(section);
    const scale = Math.min(PRINTED_SCALE, Math.sqrt(MAX_PRINTED_PIXELS / areaOf(section)));
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

  private page(section: HTMLElement): Promise<PDFPageProxy> {
    return this.pdf.then((pdf) => pdf.getPage(this.sections.indexOf(section) + 1));
  }

  /** Makes the page the youngest one, and forgets the oldest ones. */
  private keep(section: HTMLElement): void {
    const found = this.drawn.get(section);
    if (found) {
      this.drawn.delete(section);
      this.drawn.set(section, found);
    }
    const old = [...this.drawn.keys()].filter((each) => each !== section && each.hidden).slice(0, -KEPT);
    for (const each of old) this.forget(each);
  }

  private forget(section: HTMLElement): void {
    const found = this.drawn.get(section);
    if (!found) return;
    this.drawn.delete(section);
    found.task?.cancel();
    found.canvas.remove();
    free(found.canvas);
    section.querySelector('.textLayer')?.remove();
    section.querySelector<HTMLElement>('.text')!.hidden = false;
    void this.page(section).then((page) => page.cleanup());
  }
}

/** Safari keeps the memory of a canvas until it is collected. */
function free(canvas: HTMLCanvasElement): void {
  canvas.width = 0;
  canvas.height = 0;
}

const areaOf = (section: HTMLElement) => sizeOf(section).width * sizeOf(section).height;
