import { signal } from '@preact/signals';
import { words } from '../words/en';
import { Icon } from './icon';

interface Toast {
  id: number;
  text: string;
  isLeaving?: boolean;
  /** Reverts the action. */
  undo?: (() => void) | undefined;
}

/** A toast with a button stays longer: people need time to reach it. */
const SHOWN_MS = 6_000;
const SHOWN_WITH_UNDO_MS = 15_000;
/** As long as the motion in controls.css. */
const LEAVING_MS = 200;

const shown = signal<Toast | undefined>(undefined);
let lastId = 0;

/** Says at the edge of the page what has happened, in place of what it said before. Screen readers read it out. */
export function toast(text: string, { undo }: { undo?: () => void } = {}): void {
  const id = ++lastId;
  shown.value = { id, text, undo };
  setTimeout(() => leave(id), undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS);
}

/** Lets the toast move out, unless another one has taken its place. */
function leave(id: number): void {
  if (shown.value?.id !== id) return;
  shown.value = { ...shown.value, isLeaving: true };
  setTimeout(() => {
    if (shown.value?.id === id) shown.value = undefined;
  }, LEAVING_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {shown.value && <ShownToast key={shown.value.id} {...shown.value} />}
    </div>
  );
}

function ShownToast({ id, text, undo, isLeaving = false }: Toast) {
  return (
    <div class={isLeaving ? 'toast leaving' : 'toast'}>
      <span>{text}</span>
      {undo && (
        <button
          type="button"
          class="button small"
          onClick={() => {
            leave(id);
            undo();
          }}
        >
          {words.shell.undo}
        </button>
      )}
      <button type="button" class="button icon small" aria-label={words.shell.close} onClick={() => leave(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
