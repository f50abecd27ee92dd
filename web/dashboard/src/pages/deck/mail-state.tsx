import type { Answer } from '../../service';
import { words } from '../../words/en';

type Delivery = NonNullable<Answer<'listEmailSends'>['sends'][number]['delivery']>;

/** What became of a mail, and why it did not arrive. */
export function MailState({ delivery: { state, reason } }: { delivery: Delivery }) {
  const tone = state === 'delivered' ? 'good' : state === 'delayed' ? '' : 'bad';
  return (
    <>
      <span class={`label ${tone}`}>{words.deckMails.deliveries[state]}</span>{' '}
      {state !== 'delivered' && reason && <span class="quiet small">{reason}</span>}
    </>
  );
}
