import { attempt } from './attempt';

/** Gives the page `localStorage` and `sessionStorage` in memory where the browser denies them. */
export function replaceDeniedStorage(): void {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    if (attempt(() => window[name])) continue;
    const storage = storageInMemory();
    attempt(() => Object.defineProperty(window, name, { get: () => storage, configurable: true, enumerable: true }));
  }
}

/** A `Storage` as the standard describes it, whose items are gone with the page. */
function storageInMemory(): Storage {
  const items = new Map<string, string>();
  const needs = (count: number, given: { length: number }) => {
    if (given.length < count) throw new TypeError(`${count} argument required, but only ${given.length} present.`);
  };
  // The methods stand between the storage and `Storage.prototype`, whose own ones need a storage of the browser.
  const methods = Object.create(Storage.prototype, {
    length: { get: () => items.size, configurable: true, enumerable: true },
  }) as Storage;
  const own: Omit<Storage, 'length'> = {
    key(...given: [number]) {
      needs(1, given);
      return [...items.keys()][Number(given[0]) >>> 0] ?? null;
    },
    getItem(...given: [string]) {
      needs(1, given);
      return items.get(`${given[0]}`) ?? null;
    },
    setItem(...given: [string, string]) {
      needs(2, given);
      items.set(`${given[0]}`, `${given[1]}`);
    },
    removeItem(...given: [string]) {
      needs(1, given);
      items.delete(`${given[0]}`);
    },
    clear() {
      items.clear();
    },
  };
  Object.assign(methods, own);
  // As in a browser, an item hides no property of the prototype, but is stored under any name.
  const isShown = (name: PropertyKey): name is string =>
    typeof name === 'string' && items.has(name) && !(name in methods);
  return new Proxy(Object.create(methods) as Storage, {
    get: (target, name, receiver) =>
      isShown(name) ? items.get(name) : (Reflect.get(target, name, receiver) as unknown),
    has: (target, name) => isShown(name) || Reflect.has(target, name),
    set(target, name, value: unknown) {
      if (typeof name === 'symbol') return Reflect.set(target, name, value);
      items.set(name, `${value as string}`);
      return true;
    },
    defineProperty(target, name, descriptor) {
      if (typeof name === 'symbol') return Reflect.defineProperty(target, name, descriptor);
      if (!('value' in descriptor)) return false;
      items.set(name, `${descriptor.value as string}`);
      return true;
    },
    deleteProperty(target, name) {
      if (isShown(name)) return items.delete(name);
      return Reflect.deleteProperty(target, name);
    },
    ownKeys: (target) => [...[...items.keys()].filter(isShown), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor: (target, name) =>
      isShown(name)
        ? { value: items.get(name), writable: true, enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, name),
    preventExtensions: () => false,
  });
}
