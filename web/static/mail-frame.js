/* global addEventListener, document, location, parent, DOMParser, ResizeObserver */
// Shows the mail whose HTML the dashboard sends, and tells the dashboard its height. The page runs in a sandbox: it has
// an opaque origin, opens no windows and cannot navigate the dashboard. Its policy runs no script of a mail.
(() => {
  // In the sandbox, the address still has the origin of the site.
  const site = location.origin;
  const tell = (message) => parent.postMessage(message, site);

  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin !== site || typeof data !== 'string') return;
    const mail = new DOMParser().parseFromString(data, 'text/html');
    // A mail names no other page, and its scheme stands in its style.
    for (const each of mail.querySelectorAll('meta, link, base')) each.remove();
    // The site has its picture under each of its hosts. The policy allows the one of this page.
    for (const each of mail.querySelectorAll('img')) each.src = site + new URL(each.src).pathname;
    document.documentElement.replaceWith(document.adoptNode(mail.documentElement));
    const report = () => tell({ height: Math.ceil(document.documentElement.getBoundingClientRect().height) });
    // A browser does not draw a frame that is out of sight, so that the observer waits until it is seen.
    report();
    new ResizeObserver(report).observe(document.documentElement);
  });
  // A link of the preview has no secret, so it opens nothing.
  for (const kind of ['click', 'auxclick']) addEventListener(kind, (event) => event.preventDefault(), true);
  tell('ready');
})();
