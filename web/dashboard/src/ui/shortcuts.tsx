import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { navigate } from '../navigation';
import { session } from '../session';
import { words } from '../words/en';
import { Dialog } from './dialog';

interface Shortcut {
  key: string;
  text: string;
  run: () => void;
}

const isListed = signal(false);
/** Shows the list of keys. */
export const listShortcuts = () => (isListed.value = true);

const everywhere: Shortcut[] = [
  { key: '?', text: words.shell.shortcuts, run: listShortcuts },
  { key: 'o', text: words.overview.title, run: () => navigate('/dashboard') },
  { key: 'd', text: words.shell.decks, run: () => navigate('/dashboard/decks') },
  { key: 'n', text: words.shell.newDeck, run: () => navigate('/dashboard/new') },
  { key: 'k', text: words.shell.keys, run: () => navigate('/dashboard/keys') },
  { key: 'u', text: words.shell.usage, run: () => navigate('/dashboard/usage') },
  { key: 's', text: words.shell.settings, run: () => navigate('/dashboard/settings') },
];
const ofPage = signal<readonly Shortcut[]>([]);

/** The keys of a page, while it is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    ofPage.value = shortcuts;
    return () => {
      ofPage.value = [];
    };
  }, [shortcuts.map(({ key }) => key).join()]);
}

function follow(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return;
  if (!session.value || document.querySelector('dialog[open]')) return;
  const { target } = event;
  if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role=menu]'))
    return;
  const shortcut = [...ofPage.value, ...everywhere].find(({ key }) => key === event.key);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run();
}
document.addEventListener('keydown', follow);

/** The list of keys, which `?` opens. */
export function Shortcuts() {
  if (!isListed.value) return null;
  return (
    <Dialog title={words.shell.shortcuts} onClose={() => (isListed.value = false)}>
      <dl class="shortcuts">
        {[...ofPage.value, ...everywhere].map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd translate={false}>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
