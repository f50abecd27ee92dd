import { useState } from 'preact/hooks';
import { service } from '../../service';
import { confirm } from '../../ui/confirm';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { Time } from '../../ui/time';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { webhooks } from '../../words/webhooks';
import { Deliveries } from './deliveries';
import type { ShownSecret } from './new-secret';
import { hostOf, type Webhook } from './webhook';

interface WebhookCardProps {
  webhook: Webhook;
  onChange: () => void;
  onSecret: (shown: ShownSecret) => void;
  /** Something was changed. */
  onDone: () => void;
}

/** A webhook: where it leads, whether it works, what can be done, and on demand what was sent. */
export function WebhookCard({ webhook, onChange, onSecret, onDone }: WebhookCardProps) {
  const { webhookId, url, description, status, keyId } = webhook;
  const [isOpen, setOpen] = useState(false);
  /** Grows with each test, after which the deliveries load again. */
  const [tests, setTests] = useState(0);
  const said = webhooks;
  const host = hostOf(webhook);
  const acting = useAction(async (act: () => Promise<unknown>) => {
    await act();
  });
  // The receiver may take seconds to answer it. Everything else works meanwhile.
  const testing = useAction(async () => {
    const { delivery } = await service().post('sendTestEvent', { webhookId });
    toast(delivery.status === 'delivered' ? said.arrived : said.notArrived);
    setTests(tests + 1);
    setOpen(true);
  });
  const setStatus = async (to: Webhook['status']) => {
    await service().post('updateWebhook', { webhookId, status: to });
    toast(to === 'active' ? said.activated : said.paused);
    onDone();
  };
  const rotate = async () => {
    const { rotateTitle: title, rotateText: text, rotateAction: action } = said;
    if (!(await confirm({ title, text, action, isSafe: true }))) return;
    const { secret, oldUntil } = await service().post('rotateWebhookSecret', { webhookId }, { canRepeat: false });
    const call = { name: 'rotateWebhookSecret', method: 'POST', input: { webhookId } } as const;
    onSecret({ host, secret, oldUntil, done: { command: `deck webhooks rotate ${webhookId}`, call } });
    scrollTo(0, 0);
  };
  const remove = async () => {
    const { removeTitle, removeText: text, removeAction: action } = said;
    if (!(await confirm({ title: removeTitle(host), text, action }))) return;
    await service().post('deleteWebhook', { webhookId });
    toast(said.removed);
    onDone();
  };
  const run = (act: () => Promise<unknown>) => () => void acting.run(act);
  const isActive = status === 'active';
  return (
    <li class="card">
      <header>
        <h2 translate={false} dir="ltr">
          {url}
        </h2>
        <div class="actions">
          <State {...webhook} />
          <Menu
            label={said.more(host)}
            class="button icon small"
            items={[
              { text: said.rotate, onChoose: run(rotate) },
              { text: said.remove, onChoose: run(remove), isDanger: true },
            ]}
          >
            <Icon name="more" />
          </Menu>
        </div>
      </header>
      {description && <p dir="auto">{description}</p>}
      <p class="quiet small">{factsOf(webhook).join(' · ')}</p>
      <Trouble {...webhook} />
      {keyId !== null && isActive && <p class="quiet small">{said.ofKey}</p>}
      <FailureNotice failure={acting.failure ?? testing.failure} />
      <div class="actions">
        <button
          type="button"
          class="button small"
          aria-label={said.testFor(host)}
          aria-disabled={testing.isBusy}
          onClick={() => void testing.run()}
        >
          {said.test}
        </button>
        <button type="button" class="button small" aria-label={said.changeFor(host)} onClick={onChange}>
          {said.change}
        </button>
        <button
          type="button"
          class="button small"
          aria-label={isActive ? said.pauseFor(host) : said.activateFor(host)}
          aria-disabled={acting.isBusy}
          onClick={run(() => setStatus(isActive ? 'disabled' : 'active'))}
        >
          {isActive ? said.pause : said.activate}
        </button>
      </div>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{said.deliveries}</summary>
        {isOpen && <Deliveries key={tests} webhookId={webhookId} />}
      </details>
    </li>
  );
}

function factsOf({ events, format, includeReaders }: Webhook): string[] {
  const said = webhooks;
  return [
    events.includes('*') ? said.all : said.types(events.length),
    said.formats[format],
    ...(includeReaders ? [said.withReaders] : []),
  ];
}

function State({ status, disabledBy, failingSince }: Webhook) {
  const { states } = webhooks;
  if (status === 'disabled') {
    const isPaused = disabledBy === 'user';
    return <span class={isPaused ? 'label' : 'label bad'}>{isPaused ? states.paused : states.disabled}</span>;
  }
  return failingSince ? (
    <span class="label bad">{states.failing}</span>
  ) : (
    <span class="label good">{states.active}</span>
  );
}

/** Why nothing is sent, or since when nothing arrives. */
function Trouble({ status, disabledBy, failingSince }: Webhook) {
  const { why, failingSince: since } = webhooks;
  if (status === 'disabled') return <p class="small">{disabledBy && why[disabledBy]}</p>;
  if (!failingSince) return null;
  return (
    <p class="small">
      {since} <Time iso={failingSince} />.
    </p>
  );
}
