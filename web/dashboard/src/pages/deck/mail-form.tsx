import { signal } from '@preact/signals';
import { useEffect, useId, useState } from 'preact/hooks';
import { useDraft } from '../../draft';
import { service } from '../../service';
import { quoted } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { fieldProblems } from '../../ui/field-problems';
import { toast } from '../../ui/toast';
import { words } from '../../words/en';
import { addressesOf, looksLikeAddress } from './addresses-of';
import { MailPreview } from './mail-preview';
import { ExpiryChoice } from './expiry-choice';
import { TextArea } from '../../ui/text-area';
import type { useChange } from './use-change';

const MAX_RECIPIENTS = 20;
const EMPTY = { to: '', subject: '', message: '', expires: '', requireEmail: false };

interface Send {
  isRunning: boolean;
  failure?: unknown;
}

/** The last send of each deck, also when the form is not shown any more. */
export const sends = signal<ReadonlyMap<string, Send>>(new Map());
const tell = (id: string, send: Send) => (sends.value = new Map(sends.peek()).set(id, send));

/** Sends the deck to up to 20 addresses. What was typed stays when the mail could not be sent. */
export function MailForm({ id, change }: { id: string; change: ReturnType<typeof useChange> }) {
  const draft = useDraft(`mail ${id}`, () => EMPTY);
  const { to, subject, message, expires, requireEmail } = draft.value;
  const put =
    <N extends keyof typeof EMPTY>(field: N) =>
    (value: (typeof EMPTY)[N]) =>
      draft.set({ [field]: value });
  const [isPreviewed, setPreviewed] = useState(false);
  const [problem, setProblem] = useState<string>();
  const formId = useId();
  const said = words.deckMails;
  const emails = addressesOf(to);
  const texts = {
    ...(message.trim() && { message: message.trim() }),
    ...(subject.trim() && { subject: subject.trim() }),
  };

  const failure = sends.value.get(id)?.failure;
  // Who leaves the form has seen it.
  useEffect(() => () => void (sends.peek().get(id)?.failure && tell(id, { isRunning: false })), []);

  const rules = { ...(expires && { expiresAt: expires }), ...(requireEmail && { requireEmail }) };

  const send = async () => {
    if (change.isBusy) return;
    const wrong = problemOf(emails);
    setProblem(wrong);
    if (wrong) return document.getElementById(formId)?.focus();
    const input = { presentationId: id, emails, ...texts, ...rules };
    const options = Object.entries(texts).map(([name, text]) => ` --${name} ${quoted(text)}`);
    await change.run(
      async (once) => {
        tell(id, { isRunning: true });
        try {
          const { summary, failed } = await service().post('sharePresentationViaEmail', input, once);
          if (failed.length === 0) draft.forget({ ...EMPTY, subject });
          else draft.set((typed) => ({ to: withoutSent(typed.to, emails, failed) }));
          toast(failed.length > 0 ? said.someFailed(failed.length, summary.total) : said.sent(summary.sent));
          tell(id, { isRunning: false });
        } catch (failure) {
          tell(id, { isRunning: false, failure });
          throw failure;
        }
      },
      {
        command: `deck email ${emails.map(quoted).join(' ')}${options.join('')}${expires && ` --expires ${expires}`}${requireEmail ? ' --require-email' : ''} --deck ${id}`,
        call: { name: 'sharePresentationViaEmail', method: 'POST', input },
      },
    );
  };

  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h2>{said.write}</h2>
      <TextArea
        id={formId}
        label={said.to}
        value={to}
        onValue={put('to')}
        rows={2}
        hint={emails.length > 1 ? said.recipients(emails.length) : said.toHint}
        error={problem}
        dir="ltr"
      />
      <Field label={said.subject} value={subject} onValue={put('subject')} maxLength={200} dir="auto" />
      <TextArea label={said.message} value={message} onValue={put('message')} rows={4} maxLength={2000} dir="auto" />
      <ExpiryChoice
        label={said.expiry}
        value={expires}
        onValue={put('expires')}
        error={fieldProblems(failure)['expiresAt']}
      />
      <div class="rule">
        <label class="check">
          <input
            type="checkbox"
            checked={requireEmail}
            onChange={(event) => put('requireEmail')(event.currentTarget.checked)}
          />
          {said.requireEmail}
        </label>
        <p class="quiet small">{said.requireEmailHint}</p>
      </div>
      <FailureNotice failure={failure} />
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={change.isBusy}>
          {change.isBusy ? said.sending : said.send(emails.length)}
        </button>
        <button type="button" class="button" onClick={() => setPreviewed(true)}>
          {said.preview}
        </button>
      </div>
      {isPreviewed && (
        <MailPreview input={{ presentationId: id, ...texts, ...rules }} onClose={() => setPreviewed(false)} />
      )}
    </form>
  );
}

/** The addresses to which nothing was sent: those that failed, and those that were typed meanwhile. */
function withoutSent(typed: string, emails: readonly string[], failed: readonly { email: string }[]): string {
  const failing = new Set(failed.map(({ email }) => email.toLowerCase()));
  return addressesOf(typed)
    .filter((email) => failing.has(email) || !emails.includes(email))
    .join(', ');
}

function problemOf(emails: string[]): string | undefined {
  const { noRecipient, tooMany, invalid } = words.deckMails;
  if (emails.length === 0) return noRecipient;
  if (emails.length > MAX_RECIPIENTS) return tooMany(emails.length);
  const wrong = emails.filter((email) => !looksLikeAddress(email));
  return wrong.length > 0 ? invalid(wrong.join(', ')) : undefined;
}
