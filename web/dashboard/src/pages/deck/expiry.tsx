import { useEffect, useId, useState } from 'preact/hooks';
import { formatDateAndTime } from '../../format';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import type { Deck } from './use-deck';

interface PartProps {
  deck: Deck;
  change: ReturnType<typeof useChange>;
}

/** Sets when the links of the deck close, in the time zone of the reader. */
export function Expiry({ deck: { id, expiresAt }, change }: PartProps) {
  const field = useId();
  const [typed, setTyped] = useState(localOf(expiresAt));
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
  const put = (at: string | null) => send(at, () => void send(expiresAt));
  const submit = async () => {
    const at = new Date(typed).toISOString();
    const { expiryPastTitle, expiryPast, setExpiry } = words.deck;
    const isPast = Date.parse(at) <= Date.now();
    if (isPast && !(await confirm({ title: expiryPastTitle, text: expiryPast, action: setExpiry }))) return;
    await put(at);
  };
  const { expiry, expiryAbout, expiryAt, expiryZone, setExpiry, removeExpiry } = words.deck;
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
            aria-describedby={`${field}-zone`}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <span id={`${field}-zone`} class="hint">
            {expiryZone(Intl.DateTimeFormat().resolvedOptions().timeZone)}
          </span>
        </div>
        <div class="actions">
          <button type="submit" class="button" disabled={!typed || typed === localOf(expiresAt)}>
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

/** The form of `datetime-local`: `2031-01-31T18:00`, in the zone of the reader. */
function localOf(iso: string | null): string {
  if (!iso) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
