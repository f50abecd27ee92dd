import type { Locator } from 'playwright-core';

/** Drops what is on the disk onto an element, as a person does. */
export async function drop(target: Locator, ...paths: string[]): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!;
  const session = await target.page().context().newCDPSession(target.page());
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data });
  await session.detach();
}
