import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { words } from '../words/en';
import { Dialog } from './dialog';

interface Question {
  title: string;
  /** What will happen, and whether it cannot be undone. */
  text: string;
  /** The words of the button that does it: “Revoke”, “Delete deck”. */
  action: string;
  /** Whether the action can be undone: its button is not red then. */
  isSafe?: boolean;
  /** The person must type this text first: the title of a deck before its deletion. */
  typed?: string;
}

const asked = signal<(Question & { answer: (isSure: boolean) => void }) | undefined>(undefined);

/** Asks before an action with consequences. Resolves with whether the person wants it. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    const answer = (isSure: boolean) => {
      asked.value = undefined;
      resolve(isSure);
    };
    asked.value = { ...question, answer };
  });
}

/** The dialog of `confirm`. */
export function Confirmation() {
  return asked.value ? <ConfirmationDialog key={asked.value.title} {...asked.value} /> : null;
}

function ConfirmationDialog({ title, text, action, isSafe = false, typed, answer }: NonNullable<typeof asked.value>) {
  const [entered, setEntered] = useState('');
  const isReady = typed === undefined || entered.trim() === typed.trim();
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) answer(true);
        }}
      >
        <p>{text}</p>
        {typed !== undefined && (
          <label class="field">
            <span>{words.shell.typeToConfirm(typed)}</span>
            <input
              value={entered}
              autocomplete="off"
              spellcheck={false}
              dir="auto"
              onInput={(event) => setEntered(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="actions end">
          <button type="button" class="button" onClick={() => answer(false)}>
            {words.shell.cancel}
          </button>
          <button type="submit" class={isSafe ? 'button primary' : 'button danger'} aria-disabled={!isReady}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
