import { formatDate } from '../../format';
import type { Answer } from '../../service';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { words } from '../../words/en';

export type KeyRow = Answer<'listApiKeys'>['keys'][number];

interface KeyTableProps {
  caption: string;
  rows: readonly KeyRow[];
  /** Absent for keys that no longer work. */
  onRevoke?: (key: KeyRow) => void;
  isBusy?: boolean;
}

/** One row for each key. */
export function KeyTable({ caption, rows, onRevoke, isBusy }: KeyTableProps) {
  const { keys } = words;
  const end = (key: KeyRow) => (key.expiresAt ? formatDate(key.expiresAt) : keys.noExpiry);
  const state = (key: KeyRow) => (key.status === 'revoked' ? keys.revoked : keys.expired);
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ keyId }) => keyId}
      columns={[
        { title: keys.name, isName: true, cell: (key) => <Name {...key} /> },
        { title: keys.scopes, cell: (key) => <Scopes {...key} /> },
        {
          title: keys.lastUsed,
          cell: ({ lastUsedAt }) =>
            lastUsedAt ? <Time iso={lastUsedAt} /> : <span class="quiet">{keys.neverUsed}</span>,
        },
        { title: keys.created, cell: ({ createdAt }) => <Time iso={createdAt} /> },
        onRevoke ? { title: keys.expires, cell: end } : { title: keys.state, cell: state },
        ...(onRevoke
          ? [
              {
                title: keys.actions,
                isQuiet: true,
                cell: (key: KeyRow) => (
                  <div class="actions">
                    <button
                      type="button"
                      class="button small danger"
                      aria-label={keys.revokeNamed(key.name)}
                      aria-disabled={isBusy}
                      onClick={() => onRevoke(key)}
                    >
                      {keys.revoke}
                    </button>
                  </div>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

function Name({ name, description, keyPrefix }: KeyRow) {
  return (
    <div class="key-name">
      <span dir="auto">{name}</span>
      <code class="quiet" translate={false}>
        {keyPrefix}…
      </code>
      {description && (
        <span class="quiet small" dir="auto">
          {description}
        </span>
      )}
    </div>
  );
}

function Scopes({ scopes }: KeyRow) {
  return (
    <ul class="scope-names">
      {scopes.map((scope) => (
        <li key={scope}>{words.keys.scopeNames[scope]}</li>
      ))}
    </ul>
  );
}
