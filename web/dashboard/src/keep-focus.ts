const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** The element that had the focus last, and the elements around it, from the inner ones to the outer ones. */
let path: Element[] = [];

/**
 * Keeps the focus where the person works. A button that has just done its work must not be lost with the focus: it keeps the focus while it
 * is `aria-disabled`, and it is not pressed then. When it is removed, the nearest control that is left gets the focus.
 */
export function keepFocus(): void {
  addEventListener('focusin', ({ target }) => (path = target instanceof Element ? around(target) : []));
  addEventListener('click', refuse, { capture: true });
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

function around(inner: Element): Element[] {
  const found: Element[] = [];
  for (let each: Element | null = inner; each && each !== document.body; each = each.parentElement) found.push(each);
  return found;
}

/** `disabled` would take the focus away. A press of the Enter key in a field clicks the button of its form, too. */
function refuse(event: Event): void {
  if (!(event.target instanceof Element) || !event.target.closest('button[aria-disabled="true"]')) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function restore(): void {
  const [focused] = path;
  if (!focused || focused.isConnected || document.activeElement !== document.body) return;
  for (const outer of path.filter(({ isConnected }) => isConnected)) {
    // What is left is not near any more: the person goes on at the title of the page.
    const isTop = outer.matches('main, :has(main)');
    const controls = [...outer.querySelectorAll<HTMLElement>(isTop ? 'h1' : CONTROLS)];
    const control = controls.find((each) => each.checkVisibility());
    if (control) return control.focus({ preventScroll: true });
  }
}
