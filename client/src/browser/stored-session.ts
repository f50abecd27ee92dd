import { isId } from '../service/check-answer';
import type { SessionStore, UploadSession } from '../push/session-store';

/** Keeps the upload session of a new deck under `key`, such as in `sessionStorage`, which a reload keeps. */
export const storedSession = (storage: Storage, key: string): SessionStore => ({
  read: () => Promise.resolve(parse(storage.getItem(key))),
  write: async (session) => storage.setItem(key, JSON.stringify(session)),
  remove: async () => storage.removeItem(key),
});

/** Undefined for anything else that a page or an extension stored there. */
function parse(text: string | null): UploadSession | undefined {
  try {
    const { sessionId, presentationId } = JSON.parse(text ?? '{}') as UploadSession;
    return isId(sessionId) && isId(presentationId) ? { sessionId, presentationId } : undefined;
  } catch {
    return undefined;
  }
}
