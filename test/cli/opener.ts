import { dirname } from 'node:path';
import * as bed from './testbed';
import { aDeck, computer } from './testbed';

/** What a command answers that hands out a link. */
export interface HandedOut {
  shareUrl?: string;
  warnings?: { code?: string; message: string }[];
}

/** A folder with a program for the browser. */
export const anOpener = async (line: string) => dirname(await bed.aProgram(line, 'xdg-open'));

let deck: Awaited<ReturnType<typeof aDeck>> | undefined;
/** Tests what `deck open` tells of a program for the browser. */
export async function expectHonest(line: string, env: NodeJS.ProcessEnv, why: string | undefined): Promise<void> {
  const { folder, shareUrl } = (deck ??= await aDeck());
  const PATH = `${await anOpener(line)}:${process.env['PATH']}`;
  const ended = await computer.deck(['open', folder, '--json'], { PATH, ...env });
  expect(ended.json()).toMatchObject({ shareUrl, opened: why === undefined });
  const [warning] = ended.json<HandedOut>().warnings ?? [];
  expect([ended.code, warning?.message]).toEqual([0, why && expect.stringContaining(why)]);
}
