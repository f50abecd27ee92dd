const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** The element that had the focus last, and the elements around it, from the inner ones to the outer ones. */
let path: Element[] = [];
/** The controls before it. */
let before: Element[] = [];

/**
 * Keeps the focus where the person works. A button that has just done its work must not be lost with the focus: it
 * keeps the focus while it is `aria-disabled`, and it is not pressed then. When it is removed, the nearest control that
 * is left gets the focus.
 */
export function keepFocus(): void {
  addEventListener('focusin', remember);
  addEventListener('click', refuse, { capture: true });
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

function remember({ target }: FocusEvent): void {
  path = [];
  for (let each = target as Element | null; each && each !== document.body; each = each.parentElement) path.push(each);
  const controls = controlsIn(document.body);
  before = controls.slice(0, Math.max(0, controls.indexOf(target as HTMLElement)));
}

const controlsIn = (outer: Element) =>
  [...outer.querySelectorAll<HTMLElement>(CONTROLS)].filter((each) => each.checkVisibility());

/** `disabled` would take the focus away. A press of the Enter key in a field clicks the button of its form, too. */
function refuse(event: Event): void {
  if (!(event.target instanceof Element) || !event.target.closest('button[aria-disabled="true"]')) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

function restore(): void {
  const [focused] = path;
  if (!focused || focused.isConnected || document.activeElement !== document.body) return;
  const next = (focused.localName !== 'h1' && nearControl()) || document.querySelector<HTMLElement>('h1');
  next?.focus({ preventScroll: true });
}

/** The control that follows in the same part of the page, or else its last one. */
function nearControl(): HTMLElement | undefined {
  const last = before.findLast(({ isConnected }) => isConnected);
  const isAfter = (each: Element) => !last || last.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING;
  for (const outer of path.filter(({ isConnected }) => isConnected)) {
    // What is left is not near any more: the person goes on at the title of the page.
    if (outer.matches(':has(main)')) return undefined;
    const controls = controlsIn(outer);
    const near = controls.find(isAfter) ?? controls.at(-1);
    if (near) return near;
  }
  return undefined;
}
