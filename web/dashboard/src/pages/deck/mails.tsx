import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { words } from '../../words/en';
import { MailForm, sends } from './mail-form';
import { SentMails } from './sent-mails';
import { useChange } from './use-change';
import type { SectionProps } from './use-deck';
import { usePages } from '../../use-pages';

/** Writes a mail with a personal link for each recipient, and lists what became of earlier mails. */
export default function Mails(props: SectionProps) {
  const { id, links } = props.deck;
  const change = useChange(
    { reload: () => reload() },
    {
      command: `deck email --log --deck ${id}`,
      call: { name: 'listEmailSends', method: 'GET', input: { presentationId: id } },
    },
    `mail ${id}`,
  );
  // A form that was left while it sends still has its draft: another press would send the mail again.
  const isLeft = sends.value.get(id)?.isRunning === true && !change.isBusy;
  const mails = usePages(
    async (cursor, signal) => {
      const query = { presentationId: id, limit: '50', ...(cursor && { cursor }) };
      const { sends, nextCursor } = await service().get('listEmailSends', query, { signal });
      return { rows: sends, nextCursor };
    },
    [id, isLeft],
  );
  const reload = async () => void (await Promise.all([props.reload(), mails.reload()]));
  const said = words.deckMails;
  return (
    <section class="mails section-place" aria-busy={mails.rows === undefined && !mails.failure}>
      <p class="quiet">{said.about}</p>
      {isLeft ? (
        <p class="card" role="status">
          {said.sending}
        </p>
      ) : (
        <MailForm id={id} change={change} />
      )}
      <h2>{said.history}</h2>
      <FailureNotice failure={mails.failure} onRetry={() => void mails.reload()} />
      {!mails.rows && !mails.failure && <Skeleton label={said.loading} lines={3} />}
      {mails.rows?.length === 0 && <EmptyState text={said.none} />}
      {mails.rows && mails.rows.length > 0 && <SentMails rows={mails.rows} links={links} />}
      {mails.hasMore && (
        <div class="actions">
          <button type="button" class="button" aria-disabled={mails.isLoading} onClick={() => void mails.more()}>
            {said.more}
          </button>
        </div>
      )}
      {(mails.rows || mails.failure !== undefined) && <CommandStrip {...change.done} />}
    </section>
  );
}
