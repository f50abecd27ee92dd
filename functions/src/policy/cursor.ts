import { z } from 'zod';
import { isId } from './ids';

/** Where a page begins: behind the record with that time and id. Its text is opaque to clients. */
export interface Cursor {
  time: Date;
  id: string;
}

export function writeCursor({ time, id }: Cursor): string {
  return Buffer.from(`${time.getTime()}.${id}`).toString('base64url');
}

/** A cursor as `writeCursor` makes it; anything else is an invalid argument. */
export const pageCursor = z.string().transform((text, context): Cursor => {
  const [, time, id] = /^(\d{1,15})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time !== undefined && id !== undefined && isId(id)) return { time: new Date(Number(time)), id };
  context.issues.push({ code: 'custom', message: 'This cursor is not one of ours.', input: text });
  return z.NEVER;
});
