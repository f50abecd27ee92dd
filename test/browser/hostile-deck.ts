import type { DeckFolder } from './decks';

/**
 * Attempts to read and write the stored data of the page's origin. A refused attempt is recorded by the name of its
 * error.
 */
const thefts = `
const thefts = {
  cookie: () => document.cookie,
  setCookie: () => { document.cookie = 'planted=1'; },
  cookieStore: async () => (await cookieStore.getAll()).map(({ name }) => name),
  localStorage: () => ({ ...localStorage }),
  sessionStorage: () => ({ ...sessionStorage }),
  indexedDB: async () => (await indexedDB.databases()).map(({ name }) => name),
  openDatabase: () => new Promise((resolve, reject) => {
    const request = indexedDB.open('treasure');
    request.onsuccess = () => resolve('opened');
    request.onerror = () => reject(request.error);
  }),
  caches: () => caches.keys(),
  files: async () => (await navigator.storage.getDirectory()).kind,
  serviceWorker: async () => (await navigator.serviceWorker.register('attack.js')).scope,
};
async function attempt(actions) {
  const loot = {};
  for (const [name, act] of Object.entries(actions)) {
    try {
      loot[name] = (await act()) ?? null;
    } catch (error) {
      loot[name] = error.name;
    }
  }
  return loot;
}
`;

/** Attempts of a framed page to read or navigate the page around it. */
const breakouts = `
const breakouts = {
  parentDocument: () => parent.document.title,
  parentAddress: () => parent.location.href,
  topAddress: () => top.location.href,
  frameElement: () => frameElement,
  referrer: () => document.referrer,
  sharePageInTimings: () => performance.getEntries().some(({ name }) => name.includes('/share/')),
  topByScript: () => { top.location.href = 'second.html'; },
  topByReplace: () => { top.location.replace('second.html'); },
  parentByScript: () => { parent.location = 'second.html'; },
};
`;

const report = `
attempt({ ...thefts, ...(parent !== self && breakouts) }).then((loot) => { window.loot = { origin: self.origin, ...loot }; });
`;

const page = (title: string) => `<!doctype html>
<title>${title}</title>
<a id="top-link" href="second.html" target="_top">To the top</a>
<a id="parent-link" href="second.html" target="_parent">To the parent</a>
<form action="second.html" target="_top"><button id="top-form">Send</button></form>
<button id="top-open" onclick="window.open('second.html', '_top')">Open</button>
<a id="popup-link" href="second.html" target="_blank" rel="opener">Another window</a>
<button id="popup-open" onclick="window.open('second.html')">Another window</button>
<button id="popup-blank" onclick="window.popup = window.open('about:blank')">An empty window</button>
<script src="attack.js"></script>
`;

const inXml = `<script xmlns="http://www.w3.org/1999/xhtml" src="attack.js"/>`;

/** The files of the hostile deck whose type can run scripts. */
export const activeFiles = ['index.html', 'second.html', 'third.htm', 'fourth.xhtml', 'picture.svg', 'feed.xml'];

/** Files with the content of a page and another type. They must not be shown as a page. */
export const disguisedFiles = ['plain.txt', 'picture.png', 'data.json', 'style.css'];

/** A deck that attacks its viewer. Each page records the results of its attempts in `window.loot`. */
export function hostileDeck(): DeckFolder {
  return {
    'index.html': page('Hostile'),
    'second.html': page('Hostile too'),
    'third.htm': page('Hostile as well'),
    'fourth.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Hostile</title></head><body>${inXml}</body></html>`,
    'picture.svg': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script href="attack.js"/></svg>`,
    'feed.xml': `<feed>${inXml}</feed>`,
    'attack.js': `(() => {${thefts}${breakouts}${report}})();`,
    ...Object.fromEntries(disguisedFiles.map((path) => [path, page('Disguised')])),
  };
}
