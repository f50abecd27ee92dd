import { service, type Answer } from '../../service';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { usePages } from '../../use-pages';
import { words } from '../../words/en';
import './style.css';

type Request = Answer<'listAccessRequests'>['requests'][number];

/** Who asks for access to the decks of the person, and the answers. */
export default function Requests() {
  const said = words.requests;
  const list = usePages<Request>(async (cursor, signal) => {
    const { requests, nextCursor } = await service().get('listAccessRequests', cursor ? { cursor } : {}, { signal });
    return { rows: requests, nextCursor };
  }, []);
  const answering = useAction(async ({ requestId, email }: Request, allow: boolean) => {
    try {
      await service().post('answerAccessRequest', { requestId, allow });
      toast(allow ? said.wasAllowed(email) : said.wasDeclined(email));
    } finally {
      // Another tab may have answered it.
      await list.reload();
    }
  });
  const { rows = [], isLoading, failure, hasMore } = list;
  const [open, answered] = [rows.filter(isOpen), rows.filter((row) => !isOpen(row))];
  const isWaiting = !list.rows && isLoading;
  return (
    <div class="requests" aria-busy={isWaiting}>
      <Heading title={said.title} about={said.about} />
      <FailureNotice failure={answering.failure} />
      <FailureNotice failure={failure} onRetry={() => void list.reload()} />
      {isWaiting && <Skeleton label={words.shell.loading} lines={4} />}
      {list.rows && open.length === 0 && <EmptyState title={said.noneTitle} text={said.none} />}
      {open.length > 0 && (
        <ul class="cards" aria-label={said.list}>
          {open.map((row) => (
            <Card
              key={row.requestId}
              row={row}
              isBusy={answering.isBusy}
              onAnswer={(allow) => void answering.run(row, allow)}
            />
          ))}
        </ul>
      )}
      {answered.length > 0 && (
        <details>
          <summary>{said.answered(answered.length)}</summary>
          <Answered rows={answered} />
        </details>
      )}
      {hasMore && (
        <div class="actions">
          <button type="button" class="button" aria-disabled={isLoading} onClick={() => void list.more()}>
            {said.more}
          </button>
        </div>
      )}
    </div>
  );
}

const isOpen = ({ status }: Request) => status === 'open';
const deckPath = ({ presentationId }: Request) => `/dashboard/decks/${encodeURIComponent(presentationId)}/links`;

interface CardProps {
  row: Request;
  isBusy: boolean;
  onAnswer: (allow: boolean) => void;
}

function Card({ row, isBusy, onAnswer }: CardProps) {
  const said = words.requests;
  const { email, title, message, tokenName, createdAt } = row;
  return (
    <li class="card">
      <p>
        <strong translate={false}>{email}</strong> {said.asksFor}{' '}
        <a href={deckPath(row)} dir="auto">
          {title}
        </a>
      </p>
      {message && (
        <blockquote dir="auto">
          <p>{message}</p>
        </blockquote>
      )}
      <p class="quiet small">
        <Time iso={createdAt} /> · {said.link(tokenName)}
      </p>
      <div class="actions">
        <button
          type="button"
          class="button primary"
          aria-label={said.allowFor(email)}
          aria-disabled={isBusy}
          onClick={() => onAnswer(true)}
        >
          {said.allow}
        </button>
        <button
          type="button"
          class="button"
          aria-label={said.declineFor(email)}
          aria-disabled={isBusy}
          onClick={() => onAnswer(false)}
        >
          {said.decline}
        </button>
      </div>
    </li>
  );
}

function Answered({ rows }: { rows: Request[] }) {
  const said = words.requests;
  return (
    <Table
      caption={said.answered(rows.length)}
      rows={rows}
      keyOf={({ requestId }) => requestId}
      columns={[
        { title: said.person, isName: true, cell: ({ email }) => email },
        {
          title: said.deck,
          cell: (row) => (
            <a href={deckPath(row)} dir="auto">
              {row.title}
            </a>
          ),
        },
        { title: said.answer, cell: ({ status }) => <Status status={status} /> },
        { title: said.when, cell: ({ createdAt }) => <Time iso={createdAt} /> },
      ]}
    />
  );
}

const Status = ({ status }: Pick<Request, 'status'>) => (
  <span class={status === 'allowed' ? 'label good' : 'label'}>{words.requests.status[status]}</span>
);
