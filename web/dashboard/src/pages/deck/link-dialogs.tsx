import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Dialog } from '../../ui/dialog';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import type { useChange } from './use-change';
import type { Deck, Link } from './use-deck';
import { modeOf, VersionChoice } from './version-choice';

interface LinkDialogProps {
  deck: Deck;
  link: Link;
  change: ReturnType<typeof useChange>;
  onClose: () => void;
}

/** Asks which version a link shows. The toast can undo the change. */
export function PinDialog({ deck, link: { tokenId, name, versionMode }, change, onClose }: LinkDialogProps) {
  const before = versionMode.type === 'pinned' ? String(versionMode.version) : '';
  const [value, setValue] = useState(before);
  const said = words.deckLinks;
  const put = (next: string, undo?: () => void): Promise<void> => {
    const input = { presentationId: deck.id, tokenId, versionMode: modeOf(next) };
    const verb = next ? `pin ${tokenId} ${next}` : `follow ${tokenId}`;
    return change.run(
      async () => {
        await service().post('setTokenVersionMode', input);
        toast(next ? said.pinned(name, Number(next)) : said.followed(name), undo && { undo });
      },
      {
        command: `deck links ${verb} --deck ${deck.id}`,
        call: { name: 'setTokenVersionMode', method: 'POST', input },
      },
    );
  };
  const save = () => {
    onClose();
    if (value !== before) void put(value, () => void put(before));
  };
  return (
    <Dialog title={said.pinTitle(name)} onClose={onClose}>
      <Form onSave={save} onClose={onClose}>
        <VersionChoice label={said.shows} value={value} current={deck.version} onValue={setValue} />
      </Form>
    </Dialog>
  );
}

/** Asks for another name of a link. The toast can undo the change. */
export function RenameDialog({ deck, link: { tokenId, name: before }, change, onClose }: LinkDialogProps) {
  const [value, setValue] = useState(before);
  const said = words.deckLinks;
  const put = (name: string, undo?: () => void): Promise<void> => {
    const input = { presentationId: deck.id, tokenId, name };
    return change.run(
      async () => {
        await service().post('renameShareToken', input);
        toast(said.renamed(name), undo && { undo });
      },
      {
        command: `deck links rename ${tokenId} ${quoted(name)} --deck ${deck.id}`,
        call: { name: 'renameShareToken', method: 'POST', input },
      },
    );
  };
  const save = () => {
    const name = value.trim();
    if (!name) return;
    onClose();
    if (name !== before) void put(name, () => void put(before));
  };
  return (
    <Dialog title={said.renameTitle} onClose={onClose}>
      <Form onSave={save} onClose={onClose}>
        <Field label={said.name} value={value} onValue={setValue} maxLength={255} required dir="auto" />
      </Form>
    </Dialog>
  );
}

function Form({ onSave, onClose, children }: { onSave: () => void; onClose: () => void; children: ComponentChildren }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {children}
      <div class="actions end">
        <button type="button" class="button" onClick={onClose}>
          {words.shell.cancel}
        </button>
        <button type="submit" class="button primary">
          {words.deckLinks.save}
        </button>
      </div>
    </form>
  );
}
