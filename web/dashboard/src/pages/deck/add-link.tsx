import { useState } from 'preact/hooks';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ExpiryChoice } from './expiry-choice';
import type { useChange } from './use-change';
import { modeOf, VersionChoice } from './version-choice';

interface AddLinkProps {
  id: string;
  version: number;
  change: ReturnType<typeof useChange>;
}

export function AddLink({ id, version, change }: AddLinkProps) {
  const [name, setName] = useState('');
  const [shown, setShown] = useState('');
  const [expires, setExpires] = useState('');
  const said = words.deckLinks;
  const add = () => {
    const input = {
      presentationId: id,
      tokenName: name.trim(),
      versionMode: modeOf(shown),
      ...(expires && { expiresAt: expires }),
    };
    return change.run(
      async (once) => {
        await service().post('addPresentationToken', input, once);
        setName('');
        setShown('');
        setExpires('');
        toast(said.added(input.tokenName));
      },
      {
        command: `deck links add ${quoted(input.tokenName)}${shown && ` --pin ${shown}`}${expires && ` --expires ${expires}`} --deck ${id}`,
        call: { name: 'addPresentationToken', method: 'POST', input },
      },
    );
  };
  return (
    <form
      class={version > 1 ? 'card add-link' : 'card add-link short'}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Field
        label={said.name}
        value={name}
        onValue={setName}
        hint={said.nameHint}
        maxLength={255}
        required
        dir="auto"
      />
      {/* The only version is the latest one. */}
      {version > 1 && <VersionChoice label={said.shows} value={shown} current={version} onValue={setShown} />}
      <ExpiryChoice label={said.expiry.label} value={expires} onValue={setExpires} />
      <button type="submit" class="button primary" aria-disabled={change.isBusy}>
        {said.add}
      </button>
    </form>
  );
}
