import { service } from '../../service';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

interface MailPreviewProps {
  input: { presentationId: string; message?: string; subject?: string };
  onClose: () => void;
}

/**
 * The mail as text. The policy of the page has no place for its HTML form: a document that the page makes inherits the policy, which
 * forbids the inline styles of a mail.
 */
export function MailPreview({ input, onClose }: MailPreviewProps) {
  const { data, failure, reload } = useLoaded((signal) => service().post('previewShareEmail', input, { signal }));
  const { previewTitle, previewNote, from, subjectLabel } = words.deckMails;
  return (
    <Dialog title={previewTitle} onClose={onClose} isWide>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      <div class="mail section-place" aria-busy={!data && !failure} tabIndex={-1}>
        {data && (
          <>
            <dl>
              <div>
                <dt>{from}</dt>
                <dd dir="auto">{data.from}</dd>
              </div>
              <div>
                <dt>{subjectLabel}</dt>
                <dd dir="auto">{data.subject}</dd>
              </div>
            </dl>
            <p class="text" dir="auto">
              {data.text}
            </p>
          </>
        )}
      </div>
      <p class="quiet small">{previewNote}</p>
    </Dialog>
  );
}
