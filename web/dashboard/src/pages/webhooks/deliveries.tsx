import { service } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { usePages } from '../../use-pages';
import { events } from '../../words/events';
import { webhooks } from '../../words/webhooks';
import type { Delivery } from './webhook';

const AT_ONCE = '10';

/** What was sent to a webhook, newest first, with the requests and the answers. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const list = usePages<Delivery>(
    async (cursor, signal) => {
      const asked = { webhookId, limit: AT_ONCE, ...(cursor && { cursor }) };
      const { deliveries, nextCursor } = await service().get('listWebhookDeliveries', asked, { signal });
      return { rows: deliveries, nextCursor };
    },
    [webhookId],
  );
  const said = webhooks;
  const repeating = useAction(async ({ deliveryId }: Delivery) => {
    const { delivery } = await service().post('redeliverWebhook', { deliveryId });
    toast(delivery.status === 'delivered' ? said.arrived : said.notArrived);
    await list.reload();
  });
  const { rows, isLoading, failure, hasMore } = list;
  return (
    <div class="deliveries" aria-busy={isLoading}>
      <FailureNotice failure={repeating.failure} />
      <FailureNotice failure={failure} onRetry={() => void list.reload()} />
      {!rows && isLoading && <Skeleton label={said.loadingDeliveries} lines={3} />}
      {rows?.length === 0 && <p class="quiet">{said.noDeliveries}</p>}
      {rows && rows.length > 0 && (
        <ol>
          {rows.map((delivery) => (
            <DeliveryRow
              key={delivery.deliveryId}
              delivery={delivery}
              isBusy={repeating.isBusy}
              onRepeat={() => void repeating.run(delivery)}
            />
          ))}
        </ol>
      )}
      {rows && (
        <div class="actions">
          <button type="button" class="button small" aria-disabled={isLoading} onClick={() => void list.reload()}>
            {said.refresh}
          </button>
          {hasMore && (
            <button type="button" class="button small" aria-disabled={isLoading} onClick={() => void list.more()}>
              {said.older}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  isBusy: boolean;
  onRepeat: () => void;
}

const labels = { pending: 'label', delivered: 'label good', failed: 'label bad' } as const;
/** A later version of the service may have other types. */
const nameOf = (type: string): string =>
  type === 'test' ? webhooks.testEvent : ((events.names as Partial<Record<string, string>>)[type] ?? type);

function DeliveryRow({ delivery, isBusy, onRepeat }: DeliveryRowProps) {
  const { type, status, attempts, createdAt, lastStatus, lastAnswer, nextAttemptAt, request } = delivery;
  const said = webhooks;
  const facts = attempts === 0 ? [] : [lastStatus === null ? said.noAnswer : said.status(lastStatus)];
  if (attempts > 1) facts.push(said.attempts(attempts));
  return (
    <li>
      <div class="about">
        <p>
          <strong>{nameOf(type)}</strong> <span class={labels[status]}>{said.statuses[status]}</span>
        </p>
        <p class="quiet small">
          {[<Time key="time" iso={createdAt} />, ...facts].flatMap((fact, i) => (i === 0 ? [fact] : [' · ', fact]))}
          {nextAttemptAt && attempts > 0 && (
            <>
              {' '}
              · {said.next} <Time iso={nextAttemptAt} />
            </>
          )}
        </p>
        <details>
          <summary class="small">{said.details}</summary>
          <h3>{said.request}</h3>
          {request === null ? <p class="quiet small">{said.noRequest}</p> : <Body text={request} />}
          {attempts > 0 && <h3>{said.answer}</h3>}
          {attempts > 0 && (lastAnswer ? <Body text={lastAnswer} /> : <p class="quiet small">{said.emptyAnswer}</p>)}
        </details>
      </div>
      <button
        type="button"
        class="button small"
        aria-label={said.redeliverOf(nameOf(type))}
        aria-disabled={isBusy}
        onClick={onRepeat}
      >
        {said.redeliver}
      </button>
    </li>
  );
}

/** The texts in JSON. Their direction must not reach what stands behind them. */
const STRINGS = /"((?:[^"\\]|\\.)*)"/;

/** A body, as people read JSON. */
function Body({ text }: { text: string }) {
  return (
    <pre tabIndex={0} dir="ltr" translate={false}>
      {readable(text)
        .split(STRINGS)
        .map((part, i) => (i % 2 ? ['"', <bdi key={i}>{part}</bdi>, '"'] : part))}
    </pre>
  );
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
