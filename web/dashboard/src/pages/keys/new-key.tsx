import { serviceUrl } from '../../addresses';
import { CommandStrip, quoted } from '../../ui/command-strip';
import { CopyButton } from '../../ui/copy-button';
import { words } from '../../words/en';
import type { MadeKey } from './create-key';

/** The new key, which no later answer has. */
export function NewKey({ made: { name, raw, input }, onDone }: { made: MadeKey; onDone: () => void }) {
  const { keys } = words;
  if (!raw) return <p class="notice bad">{keys.notShown}</p>;
  const scopes = input.scopes.map((scope) => ` --scope ${scope}`).join('');
  const expiry = input.expiresInDays === null ? '' : ` --expires-in-days ${input.expiresInDays}`;
  return (
    <section class="notice good new-key" role="status" aria-label={keys.madeTitle(name)}>
      <h2>{keys.madeTitle(name)}</h2>
      <p>{keys.made}</p>
      <div class="actions">
        <code class="raw" translate={false}>
          {raw}
        </code>
        <CopyButton text={raw} label={keys.copyKey} said={keys.keyCopied} isPrimary />
      </div>
      <p class="quiet small">{keys.use}</p>
      <pre translate={false}>{`export DECK_BASE_URL=${serviceUrl}\nexport DECK_API_KEY=<key>`}</pre>
      <CommandStrip
        command={`deck keys create --name ${quoted(name)}${scopes}${expiry}`}
        call={{ name: 'createApiKey', method: 'POST', input }}
      />
      <button type="button" class="button" onClick={onDone}>
        {keys.done}
      </button>
    </section>
  );
}
