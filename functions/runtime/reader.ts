import { keptSession } from './session';

/**
 * Puts the name of a reader who signed in at the dashboard in place of the link's text. Caches keep the page without
 * it.
 */
export function nameReader(): void {
  const { name } = keptSession();
  const link = document.querySelector('header.house nav a:last-child');
  if (!name || !link) return;
  const shown = document.createElement('bdi');
  shown.textContent = name;
  link.setAttribute('aria-label', `${name}, ${link.textContent}`);
  link.replaceChildren(shown);
}
