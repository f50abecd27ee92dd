import { useState } from 'preact/hooks';
import { service } from '../../service';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { MailFrame } from '../../ui/mail-frame';
import { MailView } from '../../ui/mail-view';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

interface MailPreviewProps {
  input: { presentationId: string; message?: string; subject?: string; expiresAt?: string; requireEmail?: boolean };
  onClose: () => void;
}

type Form = keyof typeof words.deckMails.forms;

/** The mail as the recipients get it: with its look, or the text that mail programs show without HTML. */
export function MailPreview({ input, onClose }: MailPreviewProps) {
  const { data, failure, reload } = useLoaded((signal) => service().post('previewShareEmail', input, { signal }));
  const [form, setForm] = useState<Form>('html');
  const { previewTitle, previewNote, forms, formsLabel } = words.deckMails;
  return (
    <Dialog title={previewTitle} onClose={onClose} isWide>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      <div class="shows" role="group" aria-label={formsLabel}>
        {(Object.keys(forms) as Form[]).map((each) => (
          <button key={each} type="button" aria-pressed={form === each} onClick={() => setForm(each)}>
            {forms[each]}
          </button>
        ))}
      </div>
      <div class="mail section-place" aria-busy={!data && !failure} tabIndex={-1}>
        {data && (
          <MailView {...data}>
            {form === 'html' ? (
              <MailFrame html={data.html} />
            ) : (
              <p class="text" dir="auto" translate={false}>
                {data.text}
              </p>
            )}
          </MailView>
        )}
      </div>
      <p class="quiet small">{previewNote}</p>
    </Dialog>
  );
}
