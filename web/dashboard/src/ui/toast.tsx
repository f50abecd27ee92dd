import { signal } from '@preact/signals';
import { words } from '../words/en';
import { Icon } from './icon';

interface Toast {
  id: number;
  text: string;
  /** Reverts the action. */
  undo?: (() => void) | undefined;
}

/** A toast with a button stays longer: people need time to reach it. */
const SHOWN_MS = 6_000;
const SHOWN_WITH_UNDO_MS = 15_000;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says at the edge of the page what has happened. Screen readers read it out. */
export function toast(text: string, { undo }: { undo?: () => void } = {}): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  setTimeout(() => remove(id), undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                remove(id);
                undo();
              }}
            >
              {words.shell.undo}
            </button>
          )}
          <button type="button" class="button icon small" aria-label={words.shell.close} onClick={() => remove(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
