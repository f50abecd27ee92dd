import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../words/en';
import { Icon } from './icon';

interface DialogProps {
  title: string;
  /** Called by Escape, the close button and a click beside the dialog. Then the page renders it no more. */
  onClose: () => void;
  /** For pictures, tables and previews. */
  isWide?: boolean;
  children: ComponentChildren;
}

/** Where the focus begins: in the first field, or else at the first action. */
const FIRST = ['input:not([hidden]), select, textarea', 'button, a[href]'];

/**
 * A dialog above the page. The page renders it while it is open. The focus begins in its first field, stays in the
 * dialog, and returns when it closes.
 */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opened = dialog.current!;
    opened.showModal();
    // The browser focuses the close button, which stands first.
    const control = FIRST.map((kind) =>
      opened.querySelector<HTMLElement>(`header ~ :is(${kind}), header ~ * :is(${kind})`),
    );
    control.find((found) => found !== null)?.focus();
    // The browser gives the focus back to the element that had it before.
    return () => opened.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="button icon" aria-label={words.shell.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
