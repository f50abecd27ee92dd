import { useState } from 'preact/hooks';
import { formatAgo } from '../../format';
import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { confirm } from '../../ui/confirm';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { Heading } from '../../ui/heading';
import { Icon } from '../../ui/icon';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { CreateKey, type MadeKey } from './create-key';
import { NewKey } from './new-key';
import { KeyTable, type KeyRow } from './key-table';
import './style.css';

const isLive = ({ status, expiresAt }: KeyRow) =>
  status === 'active' && (expiresAt === null || Date.parse(expiresAt) > Date.now());

/** The keys of the organization: create, see which are in use, revoke. */
export default function Keys() {
  const list = useLoaded((signal) => service().get('listApiKeys', {}, { signal }));
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<MadeKey>();
  const revoking = useAction(async ({ keyId, name, lastUsedAt }: KeyRow) => {
    const inUse = lastUsedAt ? words.keys.revokeInUse(formatAgo(lastUsedAt)) : '';
    const text = `${inUse}${words.keys.revokeText}`;
    if (!(await confirm({ title: words.keys.revokeTitle(name), text, action: words.keys.revoke }))) return;
    await service().post('revokeApiKey', { keyId });
    if (made?.keyId === keyId) setMade(undefined);
    toast(words.keys.wasRevoked(name));
    await list.reload();
  });
  const { keys = [], active = 0, limit = 0 } = list.data ?? {};
  const [live, former] = [keys.filter(isLive), keys.filter((key) => !isLive(key))];
  // What stands below the rows appears with them, so that nothing moves.
  const isWaiting = !list.data && list.failure === undefined;
  const isFull = list.data !== undefined && active >= limit;
  return (
    <div class="keys" aria-busy={isWaiting}>
      <Heading title={words.keys.title} about={words.keys.about}>
        <button type="button" class="button primary" aria-disabled={isFull} onClick={() => setCreating(true)}>
          <Icon name="plus" />
          {words.keys.create}
        </button>
      </Heading>
      {isFull && <p class="notice">{words.keys.full}</p>}
      {made && <NewKey made={made} onDone={() => setMade(undefined)} />}
      <FailureNotice failure={revoking.failure} />
      <FailureNotice failure={list.failure} onRetry={() => void list.reload()} />
      {isWaiting && <Skeleton label={words.shell.loading} lines={4} />}
      {list.data && live.length === 0 && <EmptyState title={words.keys.noneTitle} text={words.keys.none} />}
      {live.length > 0 && (
        <KeyTable
          caption={words.keys.active}
          rows={live}
          onRevoke={(key) => void revoking.run(key)}
          isBusy={revoking.isBusy}
        />
      )}
      {list.data && <p class="quiet small">{words.keys.counted(active, limit)}</p>}
      {former.length > 0 && (
        <details>
          <summary>{words.keys.former(former.length)}</summary>
          <KeyTable caption={words.keys.former(former.length)} rows={former} />
        </details>
      )}
      {!isWaiting && <CommandStrip command="deck keys list" call={{ name: 'listApiKeys', method: 'GET' }} />}
      {isCreating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false);
            setMade(key);
            void list.reload();
          }}
        />
      )}
    </div>
  );
}
