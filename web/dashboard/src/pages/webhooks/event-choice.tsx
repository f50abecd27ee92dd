import { events, type EventType } from '../../words/events';
import { webhooks } from '../../words/webhooks';
import type { Events } from './webhook';

interface EventChoiceProps {
  chosen: Events;
  onChoose: (events: Events) => void;
  error: string | undefined;
}

/** All events, or those of some types. */
export function EventChoice({ chosen, onChoose, error }: EventChoiceProps) {
  const said = webhooks;
  const isAll = chosen.includes('*');
  const toggle = (type: EventType) =>
    onChoose(chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type]);
  const problem = error ?? (chosen.length === 0 ? said.needsEvent : undefined);
  return (
    <fieldset class="event-choice">
      <legend>{said.events}</legend>
      <label class="check">
        <input type="radio" name="events" checked={isAll} onChange={() => onChoose(['*'])} />
        {said.allEvents}
      </label>
      <label class="check">
        <input type="radio" name="events" checked={!isAll} onChange={() => onChoose(['link.opened', 'view.ended'])} />
        {said.someEvents}
      </label>
      {!isAll && (
        <ul>
          {(Object.keys(events.names) as EventType[]).map((type) => (
            <li key={type}>
              <label class="check">
                <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
                <span>
                  {events.names[type]}{' '}
                  <code class="quiet small" translate={false}>
                    {type}
                  </code>
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="error small" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
