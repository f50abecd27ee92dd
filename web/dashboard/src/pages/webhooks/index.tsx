import { useState } from 'preact/hooks';
import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { webhooks as said } from '../../words/webhooks';
import { words } from '../../words/en';
import { NewSecret, type ShownSecret } from './new-secret';
import type { Webhook } from './webhook';
import { WebhookCard } from './webhook-card';
import { WebhookDialog } from './webhook-dialog';
import './style.css';

/** The addresses to which events are sent: add, try, change, look at what was sent. */
export default function Webhooks() {
  const list = useLoaded((signal) => service().get('listWebhooks', {}, { signal }));
  const [edited, setEdited] = useState<Webhook | 'new'>();
  const [secret, setSecret] = useState<ShownSecret>();
  const { webhooks = [], limit = 0 } = list.data ?? {};
  const isWaiting = !list.data && list.failure === undefined;
  const isFull = list.data !== undefined && webhooks.length >= limit;
  const reload = () => void list.reload();
  return (
    <div class="webhooks" aria-busy={isWaiting}>
      <Heading title={said.title} about={said.about}>
        <button type="button" class="button primary" aria-disabled={isFull} onClick={() => isFull || setEdited('new')}>
          <Icon name="plus" />
          {said.add}
        </button>
      </Heading>
      {isFull && <p class="notice">{said.full}</p>}
      {secret && <NewSecret shown={secret} onDone={() => setSecret(undefined)} />}
      <FailureNotice failure={list.failure} onRetry={reload} />
      {isWaiting && <Skeleton label={words.shell.loading} lines={4} />}
      {list.data && webhooks.length === 0 && <None />}
      {webhooks.length > 0 && (
        <ul class="cards" aria-label={said.list}>
          {webhooks.map((webhook) => (
            <WebhookCard
              key={webhook.webhookId}
              webhook={webhook}
              onChange={() => setEdited(webhook)}
              onSecret={setSecret}
              onDone={reload}
            />
          ))}
        </ul>
      )}
      {webhooks.length > 0 && <p class="quiet small">{said.counted(webhooks.length, limit)}</p>}
      {!isWaiting && <CommandStrip command="deck webhooks list" call={{ name: 'listWebhooks', method: 'GET' }} />}
      {edited && (
        <WebhookDialog
          webhook={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onDone={(made) => {
            setEdited(undefined);
            if (made) setSecret(made);
            reload();
          }}
        />
      )}
    </div>
  );
}

function None() {
  const { noneTitle, none, guide } = said;
  return (
    <EmptyState title={noneTitle} text={none}>
      <code translate={false}>deck webhooks listen --forward http://127.0.0.1:3000/hook</code>
      <a class="button" href="/docs/guides/webhooks">
        {guide}
      </a>
    </EmptyState>
  );
}
