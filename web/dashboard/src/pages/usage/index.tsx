import { formatBytes, formatNumber } from '../../format';
import { service, type Answer } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading, NBSP } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import './style.css';

type Usage = Answer<'getUsage'>;
type Cap = Exclude<keyof Usage, 'plan'>;

const caps: readonly { name: Cap; format: (amount: number) => string; link?: { href: string; text: string } }[] = [
  { name: 'decks', format: formatNumber, link: { href: '/dashboard/decks', text: words.usage.toDecks } },
  { name: 'storedBytes', format: formatBytes, link: { href: '/dashboard/decks', text: words.usage.toDecks } },
  { name: 'newDecksThisHour', format: formatNumber },
  { name: 'mailsToday', format: formatNumber },
  { name: 'grantedBytes', format: formatBytes },
  { name: 'keys', format: formatNumber, link: { href: '/dashboard/keys', text: words.usage.toKeys } },
];
/** From this part of a limit on, the page says what to do. */
const NEAR = 0.8;

/** How much of each limit of the plan the organization uses, and what to do when a limit is near. */
export default function Usage() {
  const { data, failure, reload } = useLoaded((signal) => service().get('getUsage', {}, { signal }));
  const isWaiting = !data && failure === undefined;
  return (
    <div class="usage" aria-busy={isWaiting}>
      <Heading title={words.usage.title} about={data ? words.usage.plan(data.plan) : NBSP} />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {data ? (
        <ul class="caps">
          {caps.map((cap) => (
            <CapRow key={cap.name} {...cap} amount={data[cap.name]} />
          ))}
        </ul>
      ) : (
        isWaiting && <Skeleton label={words.shell.loading} lines={6} />
      )}
      {data && caps.some(({ name }) => data[name].used >= NEAR * data[name].limit) && (
        <p class="quiet">{words.usage.largerPlan}</p>
      )}
      {!isWaiting && <CommandStrip command="deck usage" call={{ name: 'getUsage', method: 'GET' }} />}
    </div>
  );
}

type CapRowProps = (typeof caps)[number] & { amount: Usage[Cap] };

function CapRow({ name, format, link, amount: { used, limit } }: CapRowProps) {
  const part = limit > 0 ? used / limit : 1;
  const state = part >= 1 ? 'full' : part >= NEAR ? 'near' : undefined;
  const text = words.usage.of(format(used), format(limit));
  return (
    <li class="card cap">
      <div class="line">
        <strong>{words.usage[name]}</strong>
        {state && <span class={state === 'full' ? 'label bad' : 'label'}>{words.usage[state]}</span>}
        <span class="amount">{text}</span>
      </div>
      <div
        class={`bar ${state ?? ''}`}
        role="meter"
        aria-label={words.usage[name]}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <div style={{ inlineSize: `${Math.min(100, used === 0 ? 0 : Math.max(1, 100 * part))}%` }} />
      </div>
      {state && (
        <p>
          {words.usage[`${name}Next`]} {link && <a href={link.href}>{link.text}</a>}
        </p>
      )}
    </li>
  );
}
