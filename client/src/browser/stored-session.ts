import { isId } from '../service/check-answer';
import type { SessionStore, UploadSession } from '../push/session-store';

/**
 * Keeps the upload session of a new deck under `key`, such as in `() => sessionStorage`, which a reload keeps. A push
 * goes on where the browser refuses the storage or the storage is full.
 */
export const storedSession = (storage: () => Storage, key: string): SessionStore => ({
  read: async () => {
    try {
      return parse(storage().getItem(key));
    } catch {
      return undefined;
    }
  },
  write: (session) => ignoringRefusal(async () => storage().setItem(key, JSON.stringify(session))),
  remove: () => ignoringRefusal(async () => storage().removeItem(key)),
});

const ignoringRefusal = (change: () => Promise<void>) => change().catch(() => undefined);

/** Undefined for anything else that a page or an extension stored there. */
function parse(text: string | null): UploadSession | undefined {
  const { sessionId, presentationId } = JSON.parse(text ?? '{}') as UploadSession;
  return isId(sessionId) && isId(presentationId) ? { sessionId, presentationId } : undefined;
}
