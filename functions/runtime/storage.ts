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
    if (given.length < count) throw new TypeError(`Arguments required: ${count}.`);
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
  const isItem = (name: PropertyKey): name is string => typeof name === 'string' && items.has(name);
  const store = (name: string, value: unknown) => items.set(name, `${value as string}`);
  return new Proxy(Object.create(methods) as Storage, {
    // An item does not hide a method. It is there under any name.
    get: (target, name) =>
      isItem(name) && !(name in target) ? items.get(name) : (Reflect.get(target, name) as unknown),
    has: (target, name) => isItem(name) || name in target,
    set: (target, name, value: unknown) =>
      typeof name === 'symbol' || name in target ? Reflect.set(target, name, value) : !!store(name, value),
    defineProperty(target, name, descriptor) {
      if (typeof name === 'symbol') return Reflect.defineProperty(target, name, descriptor);
      return 'value' in descriptor && !!store(name, descriptor.value);
    },
    deleteProperty: (target, name) => (isItem(name) ? items.delete(name) : Reflect.deleteProperty(target, name)),
    ownKeys: (target) => [...new Set([...items.keys(), ...Reflect.ownKeys(target)])],
    getOwnPropertyDescriptor: (target, name) =>
      isItem(name)
        ? { value: items.get(name), writable: true, enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, name),
    preventExtensions: () => false,
  });
}
