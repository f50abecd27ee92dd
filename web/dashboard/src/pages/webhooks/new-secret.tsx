import { CommandStrip } from '../../ui/command-strip';
import { CopyButton } from '../../ui/copy-button';
import { webhooks } from '../../words/webhooks';

type Strip = Parameters<typeof CommandStrip>[0];

export interface ShownSecret {
  host: string;
  /** Undefined when the answer with it was lost. */
  secret: string | undefined;
  /** After a rotation: until when the secret before signs, too. */
  oldUntil?: string;
  /** The same from a terminal or a program. */
  done: Strip;
}

/** The secret of a webhook, which no later answer has. */
export function NewSecret({
  shown: { host, secret, oldUntil, done },
  onDone,
}: {
  shown: ShownSecret;
  onDone: () => void;
}) {
  const said = webhooks;
  if (secret === undefined) return <p class="notice bad">{said.notShown}</p>;
  return (
    <section class="notice good new-secret" role="status" aria-label={said.secretTitle}>
      <h2>{said.secretTitle}</h2>
      <p class="quiet small">{said.secretOf(host)}</p>
      <p>{said.secret}</p>
      {oldUntil && <p>{said.rotated(oldUntil)}</p>}
      <div class="actions">
        <code class="raw" translate={false}>
          {secret}
        </code>
        <CopyButton text={secret} label={said.copySecret} said={said.secretCopied} isPrimary />
      </div>
      <CommandStrip {...done} />
      <button type="button" class="button" onClick={onDone}>
        {said.done}
      </button>
    </section>
  );
}
