import type { Page } from 'playwright-core';

/** Drops what is on the disk onto the page, as a person does. */
export async function drop(page: Page, ...paths: string[]): Promise<void> {
  const { x, y, width, height } = (await page.locator('.drop-zone').boundingBox())!;
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data });
  await session.detach();
}
