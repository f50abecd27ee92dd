import { useId, useState } from 'preact/hooks';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import type { Deck } from './use-deck';

interface PicturesProps {
  deck: Deck;
  change: ReturnType<typeof useChange>;
}

/** Whether the deck has pictures of its slides. A choice is stored at once; the deletion of pictures is asked about. */
export function Pictures({ deck: { id, slidePictures }, change }: PicturesProps) {
  const name = useId();
  const said = words.pictures;
  // What the person has just chosen, until the deck is read again.
  const [chosen, setChosen] = useState<boolean>();
  const choose = async (wanted: boolean) => {
    setChosen(wanted);
    const question = { title: said.stopTitle, text: said.stopText, action: said.stopAction };
    if (!wanted && !(await confirm(question))) return setChosen(undefined);
    const input = { presentationId: id, slidePictures: wanted };
    await change.run(
      async () => {
        await service().post('setPresentationPictures', input);
        toast(wanted ? said.kept : said.stopped);
      },
      { call: { name: 'setPresentationPictures', method: 'POST', input } },
    );
    setChosen(undefined);
  };
  return (
    <section class="card">
      <h2>{said.setting}</h2>
      <p class="quiet">{said.settingAbout}</p>
      <div class="choice">
        <input
          type="checkbox"
          role="switch"
          id={name}
          checked={chosen ?? slidePictures}
          aria-describedby={`${name}-hint`}
          onChange={(event) => void choose(event.currentTarget.checked)}
        />
        <div>
          <label for={name}>{said.keep}</label>
          <p id={`${name}-hint`} class="quiet small">
            {said.keepHint}
          </p>
        </div>
      </div>
    </section>
  );
}
