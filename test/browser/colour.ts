import type { Locator, Page } from 'playwright-core';

/** The painted colour (red, green, blue) of an element or a page, near the upper left corner. */
export async function colourOf(painted: Page | Locator): Promise<string> {
  const image = (await painted.screenshot()).toString('base64');
  const page = 'page' in painted ? painted.page() : painted;
  // The policy of the pages under test blocks images, so a blank page decodes the screenshot.
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
