// Keeps the page for visits without a network.
addEventListener('install', (event) => event.waitUntil(caches.open('deck').then((cache) => cache.add('./'))));
addEventListener('fetch', (event) =>
  event.respondWith(fetch(event.request).catch(() => caches.match(event.request, { ignoreSearch: true }))),
);
