import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import type { Deck } from './use-deck';

interface PartProps {
  deck: Deck;
  change: ReturnType<typeof useChange>;
}

/** Changes the title of the deck. */
export function Rename({ deck: { id, title }, change }: PartProps) {
  const [typed, setTyped] = useState(title);
  const known = useRef(title);
  // The field has the title of the deck, unless the person writes another one.
  useLayoutEffect(() => {
    if (typed === known.current || typed.trim() === title) setTyped(title);
    known.current = title;
  }, [title]);
  const { name, nameHint, rename, renamed } = words.deck;
  const send = (next: string, undo?: () => void) => {
    const input = { presentationId: id, title: next };
    return change.run(
      async () => {
        await service().post('renamePresentation', input);
        toast(renamed(next), undo && { undo });
      },
      {
        command: `deck rename ${quoted(next)} --deck ${id}`,
        call: { name: 'renamePresentation', method: 'POST', input },
      },
    );
  };
  return (
    <section class="card">
      <h2>{name}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send(typed.trim(), () => void send(title));
        }}
      >
        <Field label={name} value={typed} onValue={setTyped} hint={nameHint} maxLength={255} required dir="auto" />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={!typed.trim() || typed.trim() === title}>
            {rename}
          </button>
        </div>
      </form>
    </section>
  );
}
