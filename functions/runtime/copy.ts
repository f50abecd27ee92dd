import { say } from './say';

/** How long a button says that it has copied. */
const SAID_MS = 2000;

/** Shows the buttons that copy a text. A page hides them, because they need a script. */
export function enableCopy(): void {
  if (!('clipboard' in navigator)) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy][hidden]')) enable(button);
}

function enable(button: HTMLButtonElement): void {
  const name = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset['copy']!);
      button.textContent = 'Copied';
      say('Copied.');
    } catch {
      say('The browser did not allow the copy.');
    }
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = name;
      say('');
    }, SAID_MS);
  });
  button.hidden = false;
}
