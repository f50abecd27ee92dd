import { z } from 'zod';
import { isId } from './ids';

/** The position where a page begins: after the record with this time and id. Its text is opaque to clients. */
export interface Cursor {
  time: Date;
  id: string;
}

/** The last time that Firestore can store, in milliseconds: the end of the year 9999. */
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function writeCursor({ time, id }: Cursor): string {
  return Buffer.from(`${time.getTime()}.${id}`).toString('base64url');
}

/** Parses a cursor that `writeCursor` made; any other text is an invalid argument. */
export const pageCursor = z.string().transform((text, context): Cursor => {
  const [, time, id] = /^(\d{1,15})\.(.+)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time !== undefined && Number(time) <= LAST_MOMENT_MS && id !== undefined && isId(id))
    return { time: new Date(Number(time)), id };
  context.issues.push({ code: 'custom', message: 'This is not a cursor of this service.', input: text });
  return z.NEVER;
});
