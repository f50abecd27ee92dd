import { useState } from 'preact/hooks';
import { useAttempts } from '../../attempts';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { fieldProblems } from '../../ui/field-problems';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { webhooks } from '../../words/webhooks';
import { words } from '../../words/en';
import { EventChoice } from './event-choice';
import type { ShownSecret } from './new-secret';
import { hostOf, type Events, type Settings, type Webhook } from './webhook';

interface WebhookDialogProps {
  /** The webhook to change. Undefined for a new one. */
  webhook: Webhook | undefined;
  onClose: () => void;
  /** Gets the secret of a new webhook. */
  onDone: (made?: ShownSecret) => void;
}

/** Asks for the address of a webhook and what it gets. */
export function WebhookDialog({ webhook, onClose, onDone }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<Events>((webhook?.events ?? ['*']) as Events);
  const [format, setFormat] = useState<Webhook['format']>(webhook?.format ?? 'standard');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [includeReaders, setIncludeReaders] = useState(webhook?.includeReaders ?? false);
  const attempts = useAttempts();
  const said = webhooks;
  const saving = useAction(async () => {
    const typed = { url: url.trim(), events, format, includeReaders };
    if (webhook) {
      const { webhookId } = webhook;
      const changes = changesOf(webhook, { ...typed, description: description.trim() || null });
      if (Object.keys(changes).length > 0) {
        await service().post('updateWebhook', { webhookId, ...changes });
        toast(said.changed);
      }
      return onDone();
    }
    const note = description.trim();
    const input: NewWebhook = { ...typed, ...(note && { description: note }) };
    const made = await attempts.run(input, (once) => service().post('createWebhook', input, once));
    const done = {
      command: commandOf(input),
      call: { name: 'createWebhook', method: 'POST', input: { ...input } },
    } as const;
    onDone({ host: hostOf(made.webhook), secret: made.secret, done });
  });
  const problems = fieldProblems(saving.failure);
  const isReady = events.length > 0;
  return (
    <Dialog title={webhook ? said.changeTitle : said.addTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void saving.run();
        }}
      >
        <Field
          label={said.url}
          hint={said.urlHint}
          error={problems['url']}
          type="url"
          value={url}
          onValue={setUrl}
          maxLength={2048}
          required
          autocomplete="off"
          placeholder="https://hooks.example.com/deckhost"
        />
        <EventChoice chosen={events} onChoose={setEvents} error={problems['events']} />
        <label class="field">
          <span>{said.format}</span>
          <select value={format} onChange={(event) => setFormat(event.currentTarget.value as Webhook['format'])}>
            {(['standard', 'slack'] as const).map((each) => (
              <option key={each} value={each}>
                {said.formats[each]}
              </option>
            ))}
          </select>
        </label>
        <Field
          label={said.description}
          hint={said.descriptionHint}
          error={problems['description']}
          value={description}
          onValue={setDescription}
          maxLength={1000}
          autocomplete="off"
          dir="auto"
        />
        <label class="check">
          <input
            type="checkbox"
            checked={includeReaders}
            onChange={(event) => setIncludeReaders(event.currentTarget.checked)}
          />
          {said.includeReaders}
        </label>
        {/* The problems of fields stand there. */}
        {Object.keys(problems).length === 0 && <FailureNotice failure={saving.failure} />}
        <div class="actions end">
          <button type="button" class="button" onClick={onClose}>
            {words.shell.cancel}
          </button>
          <button type="submit" class="button primary" aria-disabled={!isReady || saving.isBusy}>
            {saving.isBusy ? said.saving : webhook ? said.save : said.add}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type Changes = Settings & Pick<Webhook, 'description'>;
type NewWebhook = Settings & { description?: string };

/** The fields that differ. A field that stays is not sent, so that two people can change different ones. */
const changesOf = (before: Webhook, after: Changes): Partial<Changes> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Changes]),
    ),
  );

function commandOf({ url, events, format, description, includeReaders }: NewWebhook): string {
  const options = [
    ...(events.includes('*') ? [] : [`--events ${events.join(',')}`]),
    ...(format === 'slack' ? ['--format slack'] : []),
    ...(description ? [`--description ${quoted(description)}`] : []),
    ...(includeReaders ? ['--include-readers'] : []),
  ];
  return ['deck webhooks add', quoted(url), ...options].join(' ');
}
