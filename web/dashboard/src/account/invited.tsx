import { isFailure, service } from '../service';
import { Skeleton } from '../ui/skeleton';
import { useLoaded } from '../use-loaded';
import { words } from '../words/en';

/** The token of the link in an invitation, or null. */
export const invitationOf = (query: URLSearchParams): string | null => query.get('invitation');

/** Who invites the person to which deck, as the service tells it. The address of the page holds a signed token only. */
export function Invited({ invitation }: { invitation: string }) {
  const { data, failure } = useLoaded(
    (signal) => service().get('getInvitation', { invitation }, { signal }),
    [invitation],
  );
  if (isFailure(failure, 'not-found')) return <p class="notice">{words.account.invitationEnded}</p>;
  // The person can sign up without these words.
  if (failure !== undefined) return null;
  return (
    <div class="notice" aria-busy={!data}>
      {data ? (
        <>
          <p>{words.account.invited(data.inviterName, data.organizationName, data.title)}</p>
          <p class="quiet small">{words.account.invitedAddress}</p>
        </>
      ) : (
        <Skeleton label={words.shell.loading} lines={2} />
      )}
    </div>
  );
}
