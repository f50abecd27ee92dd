/** What the script uses of the globals of a page or a worker. */
interface Scope {
  Worker?: typeof Worker;
  Request: typeof Request;
  fetch: typeof fetch;
  importScripts(this: void, ...addresses: (string | URL)[]): void;
}

/**
 * Lets workers of the deck run where the page has an opaque origin: there the browser accepts no address but that of a
 * blob. The blob imports the script. In the worker, relative addresses lead from the script as usual, and workers of
 * the worker run as well. `base` is the address of the script in a worker, and undefined in a page. The function
 * becomes the text of blobs, so it uses nothing from outside.
 */
export function runWorkersFromBlobs(base?: string): void {
  const scope = self as unknown as Scope;
  const resolve = (address: string | URL) => new URL(address, base ?? document.baseURI).href;
  const resolved = (address: unknown) =>
    typeof address === 'string' || address instanceof URL ? resolve(address) : address;

  /**
   * A module runs after the worker has started. Messages wait until it has its listeners; its error is the worker's.
   */
  const runModule = (script: string) => {
    const early: MessageEventInit[] = [];
    const hold = (event: MessageEvent) => {
      event.stopImmediatePropagation();
      early.push({ data: event.data as unknown, ports: [...event.ports], origin: event.origin });
    };
    addEventListener('message', hold);
    import(script)
      .finally(() => removeEventListener('message', hold))
      .then(() => early.forEach((event) => dispatchEvent(new MessageEvent('message', event))), reportError);
  };

  const blobs = new Map<string, string>();
  const blobOf = (address: string, isModule: boolean) => {
    const name = JSON.stringify(address);
    const run = isModule ? `(${String(runModule)})(${name})` : `importScripts(${name})`;
    const text = `(${String(runWorkersFromBlobs)})(${name});${run}`;
    const blob = blobs.get(text) ?? URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    blobs.set(text, blob);
    return blob;
  };
  const isOwn = (address: string) =>
    address.startsWith('http') && new URL(address).origin === new URL(base ?? location.href).origin;

  if (scope.Worker) {
    scope.Worker = new Proxy(scope.Worker, {
      construct(target, given: [string | URL, WorkerOptions?], newTarget) {
        let args: unknown[] = given;
        try {
          const address = resolve(given[0]);
          const isModule = given[1]?.type === 'module';
          if (given.length > 0 && isOwn(address)) args = [blobOf(address, isModule), { ...given[1], type: 'classic' }];
        } catch {
          // The browser tells what is wrong with the address.
        }
        return Reflect.construct(target, args, newTarget) as Worker;
      },
    });
  }
  if (base === undefined) return;

  const { fetch, importScripts, Request } = scope;
  scope.fetch = (input, init) => fetch(resolved(input) as RequestInfo, init);
  scope.importScripts = (...addresses) => importScripts(...addresses.map(resolve));
  scope.Request = new Proxy(Request, {
    construct: (target, [input, ...rest]: unknown[], newTarget) =>
      Reflect.construct(target, [resolved(input), ...rest], newTarget) as Request,
  });
  const requests = XMLHttpRequest.prototype as { open: (...given: unknown[]) => void };
  requests.open = new Proxy(requests.open, {
    apply: (target, request, [method, address, ...rest]: unknown[]) =>
      Reflect.apply(target, request, [method, resolved(address), ...rest]),
  });
  try {
    Object.defineProperty(scope, 'location', { value: new URL(base), configurable: true, enumerable: true });
  } catch {
    // A worker that does not read its address runs without it.
  }
}
