import { useEffect, useId, useState } from 'preact/hooks';
import { formatDateAndTime } from '../../format';
import { service } from '../../service';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import { isOver, localOf } from './local-time';
import { pathOf, type Deck } from './use-deck';

interface PartProps {
  deck: Deck;
  change: ReturnType<typeof useChange>;
}

/** Sets when the links of the deck close, in the time zone of the reader. */
export function Expiry({ deck: { id, expiresAt }, change }: PartProps) {
  const field = useId();
  const [typed, setTyped] = useState(localOf(expiresAt));
  const [isPast, setPast] = useState(false);
  useEffect(() => setTyped(localOf(expiresAt)), [expiresAt]);
  const send = (at: string | null, undo?: () => void) => {
    const input = { presentationId: id, expiresAt: at };
    return change.run(
      async () => {
        await service().post('setPresentationExpiry', input);
        const { expirySet, expiryRemoved } = words.deck;
        toast(at ? expirySet(formatDateAndTime(at)) : expiryRemoved, undo && { undo });
      },
      {
        command: `deck expire ${at ?? 'never'} --deck ${id}`,
        call: { name: 'setPresentationExpiry', method: 'POST', input },
      },
    );
  };
  // The service takes no time in the past, also when it was the expiry before.
  const put = (at: string | null) => send(at, isOver(expiresAt) ? undefined : () => void send(expiresAt));
  const submit = async () => {
    const at = new Date(typed).toISOString();
    setPast(isOver(at));
    if (!isOver(at)) await put(at);
  };
  const { expiry, expiryAbout, expiryAt, expiryZone, expiryPast, toLinks, setExpiry, removeExpiry } = words.deck;
  return (
    <section class="card">
      <h2>{expiry}</h2>
      <p class="quiet">{expiryAbout}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="field">
          <label for={field}>{expiryAt}</label>
          <input
            id={field}
            type="datetime-local"
            required
            value={typed}
            max="9999-12-31T23:59"
            aria-invalid={isPast}
            aria-describedby={`${field}-zone${isPast ? ` ${field}-past` : ''}`}
            onInput={(event) => {
              setPast(false);
              setTyped(event.currentTarget.value);
            }}
          />
          {isPast && (
            <span id={`${field}-past`} class="error" role="alert">
              {expiryPast} <a href={pathOf(id, 'links')}>{toLinks}</a>
            </span>
          )}
          <span id={`${field}-zone`} class="hint">
            {expiryZone(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          </span>
        </div>
        <div class="actions">
          <button type="submit" class="button" aria-disabled={!typed || typed === localOf(expiresAt)}>
            {setExpiry}
          </button>
          {expiresAt && (
            <button type="button" class="button" onClick={() => void put(null)}>
              {removeExpiry}
            </button>
          )}
        </div>
      </form>
    </section>
  );
}
