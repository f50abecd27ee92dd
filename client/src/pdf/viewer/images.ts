// The script of a deck of pictures.
import { sections, start } from './pages';

/** The longer side of a page in points: that of a slide. */
const SIDE = 960;

const imageIn = (section: HTMLElement) => section.querySelector('img')!;

/** Loads the picture of a page. The page has its shape. */
async function draw(section: HTMLElement): Promise<void> {
  const image = imageIn(section);
  image.loading = 'eager';
  await image.decode();
  // A drawing without a size fills a slide.
  const { naturalWidth: width = 0, naturalHeight: height = 0 } = image;
  const unit = SIDE / Math.max(width, height);
  section.dataset['width'] = `${width * unit || SIDE}`;
  section.dataset['height'] = `${height * unit || (SIDE * 9) / 16}`;
}

async function printed(section: HTMLElement): Promise<HTMLImageElement> {
  await draw(section);
  return Object.assign(new Image(), { src: imageIn(section).src });
}

for (const section of sections) Object.assign(section.dataset, { width: SIDE, height: (SIDE * 9) / 16 });
start({ draw, printed, file: (section) => imageIn(section).src });
