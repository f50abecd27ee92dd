import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { makePictures } from '../support/pictures';
import { soon } from './browser';
import type { DashboardStage } from './dashboard';
import type { DeckFolder } from './decks';

/** Drops what is on the disk onto an element, as a person does. */
export async function drop(target: Locator, ...paths: string[]): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!;
  const session = await target.page().context().newCDPSession(target.page());
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data });
  await session.detach();
}

/** Files of a computer, and how people publish them. */
export function droppedOn(stage: DashboardStage) {
  const { button, heading, press } = stage;
  /** Answers the path of a new folder. */
  async function onDisk(name: string, files: DeckFolder): Promise<string> {
    const folder = join(tmpdir(), 'dropped', name);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return folder;
  }

  const dropOnPage = (path: string) => drop(stage.page.locator('.drop-zone'), path);
  const dropNew = async (path: string, content: Buffer) =>
    dropOnPage(join(await onDisk('alone', { [path]: content }), path));
  const toDeck = () => stage.page.getByRole('link', { name: 'Go to the deck' });

  /** Publishes what was dropped, once it has that title. Answers the pictures of its slides. */
  async function publishAs(title: string) {
    await soon(async () => expect(await stage.page.locator('input[maxlength="255"]').inputValue()).toBe(title));
    const sent = stage.page.waitForResponse(
      (answer) => /\/uploadSlidePictures/.test(answer.url()) && answer.status() !== 204,
    );
    await press(button('Publish', true), heading('Your deck is online'));
    expect((await sent).status()).toBe(202);
    await makePictures();
    const path = `/${(await toDeck().getAttribute('href'))!.split('/').at(-1)!}/1`;
    const { data } = await stage.world.call('listSlidePictures', undefined, { key: stage.owner.key, path });
    const { slides: pictures } = data as { slides: Record<'key' | 'title' | 'width' | 'height', unknown>[] };
    return pictures.map(({ key, title, width, height }) => [key, title, width, height]);
  }

  return { dropNew, dropOnPage, onDisk, publishAs, toDeck };
}
