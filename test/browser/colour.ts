import type { Locator, Page } from 'playwright-core';

/** The colour of an element or a page as it is painted, near its upper left corner: red, green and blue. */
export async function colourOf(painted: Page | Locator): Promise<string> {
  const image = (await painted.screenshot()).toString('base64');
  const page = 'page' in painted ? painted.page() : painted;
  // The pages under test do not let pictures in, so an empty one decodes it.
  const decoder = await page.context().newPage();
  try {
    return await decoder.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${image}';
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return [...canvas.getImageData(8, 4, 1, 1).data].slice(0, 3).join();
    })()`);
  } finally {
    await decoder.close();
  }
}
