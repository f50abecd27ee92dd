import { useState } from 'preact/hooks';
import { service, type Contract } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { fieldProblems } from '../../ui/field-problems';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ExpiryChoice } from './expiry-choice';
import { isOver } from './local-time';
import { RuleFields } from './rule-fields';
import { changedRules, optionsOf, rulesOf, type TypedRules } from './typed-rules';
import type { useChange } from './use-change';
import type { Deck, Link } from './use-deck';
import { modeOf, VersionChoice } from './version-choice';

interface LinkDialogProps {
  deck: Deck;
  link: Link;
  /** The addresses and domains that may open the link. */
  readers: readonly string[];
  change: ReturnType<typeof useChange>;
  onClose: () => void;
}

type Changes = Omit<Contract['updateShareToken']['input'], 'presentationId' | 'tokenId'>;

/** Asks for the name and the rules of a link; for its name alone when it is revoked. The toast can undo the change. */
export function LinkDialog({ deck, link, readers, change, onClose }: LinkDialogProps) {
  const { tokenId, revoked } = link;
  const [before] = useState({ name: link.name, version: versionOf(link), ...rulesOf(link, readers) });
  const [typed, setTyped] = useState(before);
  const [failure, setFailure] = useState<unknown>();
  const put = (field: Partial<Typed>) => setTyped({ ...typed, ...field });
  const problems = fieldProblems(failure);
  const said = words.deckLinks;

  const send = (changes: Changes, then: () => { undo?: () => void }): Promise<void> => {
    const input = { presentationId: deck.id, tokenId, ...changes };
    return change.run(
      async (once) => {
        try {
          const { name } = await service().post('updateShareToken', input, once);
          toast(said.changed(name), then());
        } catch (error) {
          setFailure(error);
          throw error;
        }
      },
      { command: commandOf(tokenId, changes, deck.id), call: { name: 'updateShareToken', method: 'POST', input } },
    );
  };
  const close = () => {
    change.clear();
    onClose();
  };
  const save = () => {
    const wanted = { ...typed, name: typed.name.trim() };
    if (!wanted.name) return;
    const changes = changesOf(before, wanted);
    if (Object.keys(changes).length === 0) return close();
    setFailure(undefined);
    const undo = canUndo(before, changes) && {
      undo: () => void send(changesOf(wanted, before), () => ({})),
    };
    void send(changes, () => {
      onClose();
      return undo || {};
    });
  };

  return (
    <Dialog title={said.editTitle} onClose={close}>
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
          error={problems['name']}
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
            <ExpiryChoice
              label={said.expiry.label}
              value={typed.expires}
              onValue={(expires) => put({ expires })}
              error={problems['expiresAt']}
            />
            <RuleFields value={typed} before={before} onValue={put} problems={problems} />
          </>
        )}
        <FailureNotice failure={failure} />
        <div class="actions end">
          <button type="button" class="button" onClick={close}>
            {words.shell.cancel}
          </button>
          <button type="submit" class="button primary" aria-disabled={change.isBusy}>
            {said.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const versionOf = ({ versionMode }: Link) => (versionMode.type === 'pinned' ? String(versionMode.version) : '');

interface Typed extends TypedRules {
  name: string;
  version: string;
}

/** What the service must change so that `before` becomes `after`. */
const changesOf = (before: Typed, after: Typed): Changes => ({
  ...(after.name !== before.name && { name: after.name }),
  ...(after.version !== before.version && { versionMode: modeOf(after.version) }),
  ...changedRules(before, after),
});

/**
 * Whether the link can get back what it had. A short address that is taken away never comes back, nobody knows the old
 * passcode, openings are counted anew, and no time in the past can be set.
 */
const canUndo = (before: Typed, { short, passcode, maxOpenings, expiresAt }: Changes) =>
  short !== false &&
  !(passcode !== undefined && before.passcode === undefined) &&
  maxOpenings !== null &&
  !(expiresAt !== undefined && isOver(before.expires));

/** The command for the changes. A version has a command of its own. */
function commandOf(tokenId: string, { name, versionMode, ...rules }: Changes, id: string): string {
  const options = [...(name === undefined ? [] : [`--name ${quoted(name)}`]), ...optionsOf(rules)];
  const set = options.length > 0 ? [`deck links set ${tokenId} ${options.join(' ')} --deck ${id}`] : [];
  if (!versionMode) return set.join('\n');
  const verb = versionMode.type === 'pinned' ? `pin ${tokenId} ${versionMode.version}` : `follow ${tokenId}`;
  return [...set, `deck links ${verb} --deck ${id}`].join('\n');
}
