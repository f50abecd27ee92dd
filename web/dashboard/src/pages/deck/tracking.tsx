import { useId } from 'preact/hooks';
import { service } from '../../service';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import type { Deck } from './use-deck';

type Choice = NonNullable<Deck['tracking']>;

interface TrackingProps {
  deck: Deck;
  change: ReturnType<typeof useChange>;
}

/** What the deck records of its readers. A choice is stored at once. */
export function Tracking({ deck: { id, tracking }, change }: TrackingProps) {
  const name = useId();
  const said = words.insights.tracking;
  const choose = (chosen: Choice, isUndo = false) => {
    const input = { presentationId: id, tracking: chosen };
    return change.run(
      async () => {
        await service().post('setPresentationTracking', input);
        toast(said.changedTo[chosen], isUndo || !tracking ? {} : { undo: () => void choose(tracking, true) });
      },
      {
        command: `deck tracking ${chosen} --deck ${id}`,
        call: { name: 'setPresentationTracking', method: 'POST', input },
      },
    );
  };
  return (
    <section class="card">
      <h2 id={`${name}-title`}>{said.title}</h2>
      <p class="quiet">{said.about}</p>
      <div class="choices" role="radiogroup" aria-labelledby={`${name}-title`}>
        {(['full', 'count'] as const).map((each) => (
          <div key={each} class="choice">
            <input
              type="radio"
              id={`${name}-${each}`}
              name={name}
              checked={tracking === each}
              aria-describedby={`${name}-${each}-hint`}
              onChange={() => void choose(each)}
            />
            <div>
              <label for={`${name}-${each}`}>{said[each]}</label>
              <p id={`${name}-${each}-hint`} class="quiet small">
                {said[`${each}Hint`]}
              </p>
            </div>
          </div>
        ))}
      </div>
      <p class="quiet small">{said.always}</p>
    </section>
  );
}
