import type { DeckFolder } from './decks';
import { PNG } from './small-decks';

/**
 * Attempts of a page to get something from an origin. Each resolves with what it got, or with the name of the error
 * that refused it.
 */
const attempts = `
const shows = (element, at) => new Promise((resolve) => {
  element.onload = element.onloadeddata = () => resolve('loaded');
  element.onerror = () => resolve('refused');
  Object.assign(element, at);
  document.body.append(element);
});
const said = (port) => new Promise((resolve, reject) => {
  port.onmessage = ({ data }) => resolve(data);
  port.onerror = () => reject(new DOMException('', 'NetworkError'));
});
const inside = async (element, at) => {
  await new Promise((resolve) => { element.onload = element.onerror = resolve; Object.assign(element, at); document.body.append(element); });
  return element.contentDocument ? element.contentDocument.title : element.contentWindow.document.title;
};
const attempts = {
  fetch: async (origin) => (await fetch(origin + '/data.txt', { credentials: 'include' })).text(),
  fetchOpaque: async (origin) => (await fetch(origin + '/data.txt', { mode: 'no-cors', credentials: 'include' })).text(),
  entry: async (origin) => (await fetch(origin + '/', { credentials: 'include' })).text().then((text) => /<title>(.*?)</.exec(text)[1]),
  script: (origin) => shows(document.createElement('script'), { src: origin + '/script.js' }),
  module: async (origin) => (await import(origin + '/module.js')).secret,
  style: (origin) => shows(document.createElement('link'), { rel: 'stylesheet', href: origin + '/style.css' }),
  image: (origin) => shows(new Image(), { src: origin + '/picture.png' }),
  frame: (origin) => inside(document.createElement('iframe'), { src: origin + '/' }),
  object: (origin) => inside(document.createElement('object'), { type: 'text/html', data: origin + '/' }),
  worker: (origin) => said(new Worker(origin + '/worker.js')),
  sharedWorker: (origin) => said(new SharedWorker(origin + '/shared-worker.js').port),
  window: async (origin) => {
    const opened = window.open(origin + '/');
    // The browser cuts the reference when the answer arrives.
    while (!opened.closed) {
      opened.postMessage('from ' + self.origin, '*');
      try {
        if (opened.location.href !== 'about:blank' && opened.document.title) return opened.document.title;
      } catch {}
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return 'no reference';
  },
};
window.attempt = (name, origin) => Promise.resolve().then(() => attempts[name](origin)).catch((error) => error.name);
`;

/** Ways in which a page makes the browser request the entry of an origin. */
const visits = `
const submit = (method) => (origin) => {
  const form = Object.assign(document.createElement('form'), { method, action: origin + '/', target: '_blank' });
  document.body.append(form);
  form.submit();
};
const show = (name, at) => (origin) => document.body.append(Object.assign(document.createElement(name), at(origin + '/')));
window.visits = {
  fetch: (origin) => fetch(origin + '/', { credentials: 'include' }).catch(() => {}),
  fetchOpaque: (origin) => fetch(origin + '/', { mode: 'no-cors', credentials: 'include' }).catch(() => {}),
  image: show('img', (src) => ({ src })),
  script: show('script', (src) => ({ src })),
  frame: show('iframe', (src) => ({ src })),
  object: show('object', (data) => ({ data, type: 'text/html' })),
  embed: show('embed', (src) => ({ src, type: 'text/html' })),
  prefetch: show('link', (href) => ({ rel: 'prefetch', href })),
  speculation: (origin) => document.head.append(Object.assign(document.createElement('script'), {
    type: 'speculationrules',
    textContent: JSON.stringify({ prefetch: [{ urls: [origin + '/'], eagerness: 'immediate' }] }),
  })),
  formGet: submit('get'),
  formPost: submit('post'),
  window: (origin) => { window.open(origin + '/'); },
  self: (origin) => { location.href = origin + '/'; },
};
`;

/** Uses everything that pages of one origin share, and records what the page is told. */
const keeping = `
window.heard = [];
addEventListener('message', ({ data }) => heard.push(data));
addEventListener('storage', ({ key }) => heard.push('storage ' + key));
const channel = new BroadcastChannel('all');
channel.onmessage = ({ data }) => heard.push('channel ' + data);
window.store = async () => {
  document.cookie = 'treasure=1; path=/';
  localStorage.setItem('treasure', '1');
  sessionStorage.setItem('treasure', '1');
  await caches.open('treasure');
  await new Promise((resolve) => { indexedDB.open('treasure').onsuccess = resolve; });
  await (await navigator.storage.getDirectory()).getFileHandle('treasure', { create: true });
};
/** What this page finds of what other pages of its origin have stored. */
window.find = async () => ({
  cookie: document.cookie,
  stored: { ...localStorage },
  session: { ...sessionStorage },
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).map(({ name }) => name),
  files: await Array.fromAsync((await navigator.storage.getDirectory()).keys()),
});
/** How many pages are connected to one shared worker; whether another page holds the lock. */
window.shared = async () => ({
  connected: await new Promise((resolve) => { new SharedWorker('/shared-worker.js').port.onmessage = ({ data }) => resolve(data); }),
  isLocked: await navigator.locks.request('one', { ifAvailable: true }, (lock) => !lock),
});
window.hold = () => new Promise((held) => navigator.locks.request('one', () => { held(); return new Promise(() => {}); }));
window.tell = () => { channel.postMessage('hello'); localStorage.setItem('told', String(Math.random())); };
`;

const files = (title: string, script: string): DeckFolder => ({
  'index.html': `<!doctype html><title>${title}</title><body><script src="deck.js"></script>`,
  'second.html': `<!doctype html><title>${title}, second page</title><body><script src="deck.js"></script>`,
  'deck.js': script,
  'data.txt': `The secret of ${title}`,
  'script.js': 'window.ran = true;',
  'module.js': `export const secret = ${JSON.stringify(title)};`,
  'style.css': 'body { color: red }',
  'picture.png': PNG,
  'worker.js': `postMessage(${JSON.stringify(title)});`,
  'shared-worker.js': 'let count = 0; onconnect = ({ ports: [port] }) => port.postMessage(++count);',
  'service-worker.js': 'addEventListener("fetch", (event) => event.respondWith(new Response("taken over")));',
});

/** The names in `visits`. */
export const everyVisit = [
  ...['fetch', 'fetchOpaque', 'image', 'script', 'frame', 'object', 'embed', 'prefetch', 'speculation'],
  ...['formGet', 'formPost', 'window', 'self'],
];

/** A deck that attacks other origins: `attempt(name, origin)` and `visits[name](origin)` in its pages. */
export const attackingDeck = (): DeckFolder => files('Attacker', `${keeping}${attempts}${visits}`);

/** A deck that stores data at its origin, and then sets `isReady`. */
export const keepingDeck = (title: string): DeckFolder =>
  files(title, `${keeping}store().then(() => { window.isReady = true; });`);

/** A deck that asks for isolation. Its worker, its frame and its window `notes` each write a byte of its memory. */
export const sharingDeck = (embedder: string): DeckFolder => ({
  'index.html': `<!doctype html><script>
    const shared = new SharedArrayBuffer(4);
    const view = new Uint8Array(shared);
    onmessage = ({ source, data }) => data === 'ready' && source.postMessage(shared);
    new Worker('/worker.js').postMessage(shared);
  </script><iframe src="/notes/"></iframe>`,
  'notes/index.html': `<!doctype html><script>
    onmessage = ({ data }) => { if (data instanceof SharedArrayBuffer) new Uint8Array(data)[opener ? 2 : 1] = 1; };
    (opener ?? parent).postMessage('ready', '*');
  </script>`,
  'worker.js': 'onmessage = ({ data }) => { new Uint8Array(data)[0] = 1; };',
  _headers: `/*\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: ${embedder}\n`,
});
