import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { session } from './session';

/** The tab keeps drafts. They survive a reload and an ended session, and are gone after signing out. */
const PREFIX = 'deckhost.draft ';

/**
 * A state that survives another page, a reload and an ended session, until it is forgotten. `name` says what is
 * written; each person has drafts apart. Where the browser does not store it, the browser warns before it is lost.
 */
export function useDraft<T extends object>(name: string, initial: () => T) {
  const [key] = useState(() => keyOf(name));
  const [value, setValue] = useState<T>(() => ({ ...initial(), ...stored<T>(key) }));
  const untouched = useRef(initial());
  const newest = useRef(value);
  const [isUnsafe, setUnsafe] = useState(false);
  useLayoutEffect(() => {
    if (!isUnsafe) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUnsafe]);
  // Fields that the person has not changed are not kept: they may have newer values when the form is shown again.
  const put = (changed: T) => {
    newest.current = changed;
    setValue(changed);
    setUnsafe(!keep(key, differing(changed, untouched.current)));
  };
  return {
    value,
    /** Changes these fields, or those that are made of the newest ones. */
    set: (fields: Partial<T> | ((typed: T) => Partial<T>)): void =>
      put({ ...newest.current, ...(typeof fields === 'function' ? fields(newest.current) : fields) }),
    /**
     * After `value` was saved or sent, or is not wanted. The state then is `after`, with what was typed meanwhile: a
     * form that sends calls this of the render in which it began.
     */
    forget(after: T): void {
      untouched.current = after;
      put({ ...after, ...differing(newest.current, value) });
    },
  };
}

/** The fields of a value that another one has not, or has otherwise. */
export const differing = <T extends object>(value: T, other: T) =>
  Object.fromEntries(Object.entries(value).filter(([field, held]) => held !== other[field as keyof T])) as Partial<T>;

const keyOf = (name: string) => `${PREFIX}${session.value?.user.userId ?? ''} ${name}`;

/** Removes a draft whose form is not shown any more. */
export const forgetDraft = (name: string): void => remove([keyOf(name)]);

/** Removes the drafts of all people from this tab. */
export function forgetDrafts(): void {
  try {
    remove(Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX)));
  } catch {
    // A browser without storage has no drafts.
  }
}

function stored<T extends object>(key: string): Partial<T> {
  try {
    const found = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<T> | null;
    return typeof found === 'object' && found !== null ? found : {};
  } catch {
    return {};
  }
}

function keep(key: string, value: object): boolean {
  if (Object.keys(value).length === 0) {
    remove([key]);
    return true;
  }
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function remove(keys: readonly string[]): void {
  try {
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
