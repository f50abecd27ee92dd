import { useState } from 'preact/hooks';
import { service, type Contract } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Dialog } from '../../ui/dialog';
import { Field } from '../../ui/field';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ExpiryChoice } from './expiry-choice';
import { isOver } from './local-time';
import type { useChange } from './use-change';
import type { Deck, Link } from './use-deck';
import { modeOf, VersionChoice } from './version-choice';

interface LinkDialogProps {
  deck: Deck;
  link: Link;
  change: ReturnType<typeof useChange>;
  onClose: () => void;
}

type Rules = Omit<Contract['updateShareToken']['input'], 'presentationId' | 'tokenId'>;

/** Asks for the name and the rules of a link; for its name alone when it is revoked. The toast can undo the change. */
export function LinkDialog({ deck, link, change, onClose }: LinkDialogProps) {
  const { tokenId, revoked } = link;
  const before = { name: link.name, version: versionOf(link), expires: link.expiresAt ?? '', short: !!link.shortUrl };
  const [typed, setTyped] = useState(before);
  const put = (field: Partial<typeof before>) => setTyped({ ...typed, ...field });
  const said = words.deckLinks;

  const send = (rules: Rules, undo?: Rules): Promise<void> => {
    const input = { presentationId: deck.id, tokenId, ...rules };
    return change.run(
      async (once) => {
        const { name } = await service().post('updateShareToken', input, once);
        toast(said.changed(name), undo && { undo: () => void send(undo) });
      },
      { command: commandOf(tokenId, rules, deck.id), call: { name: 'updateShareToken', method: 'POST', input } },
    );
  };
  const save = () => {
    const wanted = { ...typed, name: typed.name.trim() };
    if (!wanted.name) return;
    onClose();
    const rules = changesOf(before, wanted);
    if (Object.keys(rules).length === 0) return;
    // A short address that is taken away never comes back, and no time in the past can be set.
    const canUndo = rules.short !== false && !(rules.expiresAt !== undefined && isOver(before.expires));
    void send(rules, canUndo ? changesOf(wanted, before) : undefined);
  };

  return (
    <Dialog title={said.editTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field
          label={said.name}
          value={typed.name}
          onValue={(name) => put({ name })}
          maxLength={255}
          required
          dir="auto"
        />
        {!revoked && (
          <>
            {deck.version > 1 && (
              <VersionChoice
                label={said.shows}
                value={typed.version}
                current={deck.version}
                onValue={(version) => put({ version })}
              />
            )}
            <ExpiryChoice label={said.expiry.label} value={typed.expires} onValue={(expires) => put({ expires })} />
            <label class="check">
              <input
                type="checkbox"
                checked={typed.short}
                onChange={(event) => put({ short: event.currentTarget.checked })}
              />
              {said.short}
            </label>
            <p class="quiet small">{before.short && !typed.short ? said.shortGone : said.shortHint}</p>
          </>
        )}
        <div class="actions end">
          <button type="button" class="button" onClick={onClose}>
            {words.shell.cancel}
          </button>
          <button type="submit" class="button primary">
            {said.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const versionOf = ({ versionMode }: Link) => (versionMode.type === 'pinned' ? String(versionMode.version) : '');

interface Typed {
  name: string;
  version: string;
  expires: string;
  short: boolean;
}

/** What the service must change so that `before` becomes `after`. */
function changesOf(before: Typed, after: Typed): Rules {
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.version !== before.version && { versionMode: modeOf(after.version) }),
    ...(after.expires !== before.expires && { expiresAt: after.expires || null }),
    ...(after.short !== before.short && { short: after.short }),
  };
}

/** The command for the rules. A version has a command of its own. */
function commandOf(tokenId: string, { name, versionMode, expiresAt, short }: Rules, id: string): string {
  const options = [
    ...(name === undefined ? [] : [`--name ${quoted(name)}`]),
    ...(expiresAt === undefined ? [] : [`--expires ${expiresAt ?? 'never'}`]),
    ...(short === undefined || short === null ? [] : [short ? '--short' : '--no-short']),
  ];
  const set = options.length > 0 ? [`deck links set ${tokenId} ${options.join(' ')} --deck ${id}`] : [];
  if (!versionMode) return set.join('\n');
  const verb = versionMode.type === 'pinned' ? `pin ${tokenId} ${versionMode.version}` : `follow ${tokenId}`;
  return [...set, `deck links ${verb} --deck ${id}`].join('\n');
}
