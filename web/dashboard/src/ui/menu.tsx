import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface MenuItem {
  text: string;
  /** A link, or what a click does. */
  href?: string;
  onChoose?: () => void;
  isDanger?: boolean;
}

interface MenuProps {
  /** The name of the button and the list for screen readers. */
  label: string;
  /** Whether the button shows its name. Otherwise it gets the label. */
  isNamed?: boolean;
  /** A line above the items. */
  about?: string;
  items: readonly MenuItem[];
  /** What the button shows. */
  children: ComponentChildren;
  class?: string;
}

/** A button that opens a list of actions. Arrow keys move in it, Escape closes it. */
export function Menu({ label, isNamed = false, about, items, children, class: name = 'button' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const entries = () => [...box.current!.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const close = ({ focus = true } = {}) => {
    setOpen(false);
    if (focus) button.current?.focus();
  };

  useLayoutEffect(() => {
    if (!isOpen) return;
    entries()[0]?.focus({ preventScroll: true });
    // A menu near the lower edge opens below the visible part.
    list.current?.scrollIntoView({ block: 'nearest' });
    const closeOutside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === 'Escape') return close();
    if (event.key === 'Tab') return close({ focus: false });
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };

  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={name}
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={isNamed ? undefined : label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-items" ref={list}>
          {about && <p class="quiet small">{about}</p>}
          <div role="menu" id={id} aria-label={label}>
            {items.map((item) => (
              <MenuEntry key={item.text} {...item} onClose={close} />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

function MenuEntry({ text, href, onChoose, isDanger, onClose }: MenuItem & { onClose: (how?: object) => void }) {
  const name = isDanger ? 'danger' : undefined;
  const choose = () => {
    onClose({ focus: !href });
    onChoose?.();
  };
  if (href)
    return (
      <a role="menuitem" tabIndex={-1} class={name} href={href} onClick={choose}>
        {text}
      </a>
    );
  return (
    <button type="button" role="menuitem" tabIndex={-1} class={name} onClick={choose}>
      {text}
    </button>
  );
}
