import type { PageProps } from '../../navigation';
import { service } from '../../service';
import { session } from '../../session';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { usePages } from '../../use-pages';
import { activity } from '../../words/activity';
import { events, type FeedEvent } from '../../words/events';
import { readChoice } from './choice';
import { Filters } from './filters';
import { subjectOf } from './subject';
import './style.css';

/** What happened in the organization in the last 30 days, the newest first. */
export default function Activity({ query }: PageProps) {
  const { type, deck } = readChoice(query);
  const input = { order: 'desc', ...(type && { type }), ...(deck && { presentationId: deck }) } as const;
  const list = usePages<FeedEvent>(
    async (cursor, signal) => {
      const asked = { ...input, includeReaders: 'true', ...(cursor && { cursor }) } as const;
      const { events, nextCursor } = await service().get('listEvents', asked, { signal });
      return { rows: events, nextCursor };
    },
    [type, deck],
  );
  const { rows = [], isLoading, failure, hasMore } = list;
  const isWaiting = isLoading && rows.length === 0;
  const isEmpty = !isLoading && failure === undefined && rows.length === 0;
  const said = activity;
  return (
    <div class="activity" aria-busy={isWaiting}>
      <Heading title={said.title} about={said.about} />
      <Filters choice={{ type, deck }} />
      <FailureNotice failure={failure} onRetry={() => void list.reload()} />
      {isWaiting && <Skeleton label={said.loading} lines={6} />}
      {isEmpty && (type ?? deck) && (
        <EmptyState text={said.noneHere}>
          <a class="button" href="/dashboard/activity">
            {said.clear}
          </a>
        </EmptyState>
      )}
      {isEmpty && !(type ?? deck) && <EmptyState title={said.noneTitle} text={said.none} />}
      {rows.length > 0 && (
        <ol class="events" aria-label={said.list}>
          {rows.map((event) => (
            <EventRow key={event.eventId} event={event} />
          ))}
        </ol>
      )}
      {hasMore && (
        <div class="actions">
          <button type="button" class="button" aria-disabled={isLoading} onClick={() => void list.more()}>
            {said.more}
          </button>
        </div>
      )}
      {!isWaiting && <CommandStrip call={{ name: 'listEvents', method: 'GET', input }} />}
    </div>
  );
}

/**
 * The data of an event fit its type, which the compiler does not follow. A tab that is older than the service does not
 * know its newest types.
 */
const sentenceOf = ({ type, data }: FeedEvent): string =>
  (events.sentences[type] as ((data: FeedEvent['data']) => string) | undefined)?.(data) ?? type;

function EventRow({ event }: { event: FeedEvent }) {
  const subject = subjectOf(event);
  return (
    <li>
      <p dir="auto">{sentenceOf(event)}</p>
      <p class="quiet small">
        {subject && (
          <>
            {subject.href === undefined ? (
              <bdi>{subject.text}</bdi>
            ) : (
              <a href={subject.href} dir="auto">
                {subject.text}
              </a>
            )}
            {' · '}
          </>
        )}
        <Time iso={event.createdAt} /> · {actorOf(event)}
      </p>
    </li>
  );
}

/** Who did it. The feed does not name users of other organizations. */
function actorOf({ actor, presentationId }: FeedEvent): string {
  const { by } = activity;
  if (actor.kind === 'key') return by.key(actor.name);
  if (actor.kind === 'reader') return actor.email === null ? by.reader : by.known(actor.email);
  if (actor.kind === 'system') return by.system;
  if (actor.userId !== null && actor.userId === session.value?.user.userId) return by.you;
  return actor.userId !== null && presentationId !== null ? by.collaborator : by.somebody;
}
