/** The script of the lists of the marketplace: the name of the reader, and the key `/`, which leads to the search. */
import { nameReader } from './reader';

nameReader();

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  document.querySelector<HTMLInputElement>('input[name=q]')?.select();
});
