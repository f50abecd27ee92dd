import { useState } from 'preact/hooks';
import { PushPanel } from '../../push/push-panel';
import { Heading } from '../../ui/heading';
import { words } from '../../words/en';

/** Publishes files of this computer as a new deck. */
export default function New() {
  // The page of a deck that is online has its title.
  const [title, setTitle] = useState<string>();
  return (
    <>
      <Heading
        title={title ?? words.push.title}
        trail={{ href: '/dashboard/decks', text: words.decks.title }}
        about={title === undefined && words.push.about}
      />
      <PushPanel destination={{ kind: 'new-deck' }} onPushed={(_, chosen) => setTitle(chosen.title)} />
    </>
  );
}
