import { attempt } from './attempt';

/**
 * Lets links and forms that lead from a frame to another origin open a new tab: most sites refuse to be framed. The
 * target is set while the event is on its way, so the deck can still prevent it, and modifier keys work as everywhere.
 */
export function openOtherOriginsInTabs(): void {
  addEventListener(
    'click',
    (event) =>
      attempt(() => {
        const path = event.composedPath() as Element[];
        const link = path.find(({ localName }) => /^(a|area)$/.test(localName));
        if (link && !link.hasAttribute('download')) openInTab(link, addressOf(link));
      }),
    true,
  );
  addEventListener(
    'submit',
    ({ target, submitter }) =>
      attempt(() => {
        const form = target as Element;
        const address = submitter?.getAttribute('formaction') ?? form.getAttribute('action');
        if (!submitter?.hasAttribute('formtarget')) openInTab(form, address);
      }),
    true,
  );
}

const addressOf = (link: Element) =>
  link.getAttribute('href') ?? link.getAttributeNS('http://www.w3.org/1999/xlink', 'href');

function openInTab(element: Element, address: string | null | undefined): void {
  if (!address) return;
  const { protocol, origin } = new URL(address, element.baseURI);
  if (!protocol.startsWith('http') || origin === location.origin) return;
  const target = element.getAttribute('target') ?? document.querySelector('base[target]')?.getAttribute('target') ?? '';
  if (!/^(_self|_parent|_top)?$/i.test(target)) return;
  set(element, 'target', '_blank');
  set(element, 'rel', `${element.getAttribute('rel') ?? ''} noopener`);
}

/** Sets an attribute until the browser has handled the event. */
function set(element: Element, name: string, value: string): void {
  const before = element.getAttribute(name);
  element.setAttribute(name, value);
  setTimeout(() => {
    // The deck may have written it meanwhile.
    if (element.getAttribute(name) !== value) return;
    if (before === null) element.removeAttribute(name);
    else element.setAttribute(name, before);
  });
}
