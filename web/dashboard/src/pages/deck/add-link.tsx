import { useState } from 'preact/hooks';
import { differing } from '../../draft';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Field } from '../../ui/field';
import { fieldProblems } from '../../ui/field-problems';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { ExpiryChoice } from './expiry-choice';
import { RuleFields } from './rule-fields';
import { changedRules, noRules, optionsOf } from './typed-rules';
import type { useChange } from './use-change';
import { modeOf, VersionChoice } from './version-choice';

interface AddLinkProps {
  id: string;
  version: number;
  change: ReturnType<typeof useChange>;
}

/** What is typed here is no draft: it may have a passcode, which is stored nowhere. */
export function AddLink({ id, version, change }: AddLinkProps) {
  const [name, setName] = useState('');
  const [shown, setShown] = useState('');
  const [rules, setRules] = useState(noRules);
  const [areRulesOpen, setRulesOpen] = useState(false);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const said = words.deckLinks;
  const add = () => {
    const sent = changedRules(noRules, rules);
    const input = { presentationId: id, tokenName: name.trim(), versionMode: modeOf(shown), ...sent };
    const options = [...(shown ? [`--pin ${shown}`] : []), ...optionsOf(sent)];
    setProblems({});
    return change.run(
      async (once) => {
        try {
          await service().post('addPresentationToken', input, once);
        } catch (error) {
          setProblems(fieldProblems(error));
          throw error;
        }
        // What was typed meanwhile is of the next link.
        setName((newest) => (newest === name ? '' : newest));
        setShown((newest) => (newest === shown ? '' : newest));
        setRules((newest) => ({ ...noRules, ...differing(newest, rules) }));
        setRulesOpen(false);
        toast(said.added(input.tokenName));
      },
      {
        command: ['deck links add', quoted(input.tokenName), ...options, '--deck', id].join(' '),
        call: { name: 'addPresentationToken', method: 'POST', input },
      },
    );
  };
  const hasWrongRule = ['passcode', 'maxOpenings', 'allowedEmails'].some((rule) => problems[rule]);
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
        error={problems['tokenName']}
        maxLength={255}
        required
        dir="auto"
      />
      {/* The only version is the latest one. */}
      {version > 1 && <VersionChoice label={said.shows} value={shown} current={version} onValue={setShown} />}
      <ExpiryChoice
        label={said.expiry.label}
        value={rules.expires}
        onValue={(expires) => setRules({ ...rules, expires })}
        error={problems['expiresAt']}
      />
      <details
        class="more-fields"
        open={areRulesOpen || hasWrongRule}
        onToggle={(event) => setRulesOpen(event.currentTarget.open)}
        onInvalidCapture={(event) => {
          // At once: the browser then moves the focus to the wrong field, which must be visible.
          event.currentTarget.open = true;
        }}
      >
        <summary>{words.linkRules.title}</summary>
        <div class="inner">
          <RuleFields value={rules} before={noRules} onValue={setRules} problems={problems} />
        </div>
      </details>
      <button type="submit" class="button primary" aria-disabled={change.isBusy}>
        {said.add}
      </button>
    </form>
  );
}
