import { PushPanel } from '../../push/push-panel';
import { Heading } from '../../ui/heading';
import { words } from '../../words/en';

/** Publishes files of this computer as a new deck. */
export default function New() {
  return (
    <>
      <Heading title={words.push.title} about={words.push.about} />
      <PushPanel destination={{ kind: 'new-deck' }} />
    </>
  );
}
