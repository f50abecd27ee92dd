import { useState } from 'preact/hooks';
import { useAttempts } from '../../attempts';
import { service, type Contract } from '../../service';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { useAction } from '../../use-action';
import { words } from '../../words/en';

type Answered = Contract['createApiKey']['answer']['apiKey'];
type Scope = Answered['scopes'][number];
type Input = { name: string; description?: string; scopes: Scope[]; expiresInDays: number | null };
export type MadeKey = Answered & { input: Input };

const allScopes: readonly Scope[] = ['presentations:read', 'presentations:write', 'marketplace:publish'];
const lifetimes = [90, 30, 365, 0] as const;

interface CreateKeyProps {
  onClose: () => void;
  onMade: (made: MadeKey) => void;
}

/** Asks for the name, the scopes and the lifetime of a new key. */
export function CreateKey({ onClose, onMade }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['presentations:read', 'presentations:write']);
  const [days, setDays] = useState<number>(lifetimes[0]);
  const attempts = useAttempts();
  const creating = useAction(async () => {
    const note = description.trim();
    const input: Input = { name: name.trim(), scopes: [...scopes], expiresInDays: days || null };
    if (note) input.description = note;
    const { apiKey } = await attempts.run(input, (once) => service().post('createApiKey', input, once));
    onMade({ ...apiKey, input });
  });
  const isReady = name.trim() !== '' && scopes.length > 0;
  return (
    <Dialog title={words.keys.create} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void creating.run();
        }}
      >
        <Field
          label={words.keys.name}
          hint={words.keys.nameHint}
          value={name}
          onValue={setName}
          maxLength={255}
          required
          autocomplete="off"
          dir="auto"
        />
        <Field
          label={words.keys.description}
          value={description}
          onValue={setDescription}
          maxLength={1000}
          autocomplete="off"
          dir="auto"
        />
        <ScopeChoice chosen={scopes} onChoose={setScopes} />
        <label class="field">
          <span>{words.keys.lifetime}</span>
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {lifetimes.map((each) => (
              <option key={each} value={each}>
                {words.keys.lifetimes[each]}
              </option>
            ))}
          </select>
        </label>
        <FailureNotice failure={creating.failure} />
        <div class="actions end">
          <button type="button" class="button" onClick={onClose}>
            {words.shell.cancel}
          </button>
          <button type="submit" class="button primary" aria-disabled={!isReady || creating.isBusy}>
            {creating.isBusy ? words.keys.creating : words.keys.create}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function ScopeChoice({ chosen, onChoose }: { chosen: readonly Scope[]; onChoose: (scopes: readonly Scope[]) => void }) {
  const toggle = (scope: Scope) =>
    onChoose(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  return (
    <fieldset class="scope-choice">
      <legend>{words.keys.scopesTitle}</legend>
      {allScopes.map((scope) => (
        <label key={scope}>
          <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
          <span>
            {words.keys.scopeNames[scope]}
            <span class="quiet small">{words.keys.scopeHints[scope]}</span>
          </span>
        </label>
      ))}
      {chosen.length === 0 && <p class="error small">{words.keys.needsScope}</p>}
    </fieldset>
  );
}
