import { service } from '../../service';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

/** Leads to the people who ask for access to the deck. Nothing without open requests, and when they cannot be read. */
export function OpenRequests({ id }: { id: string }) {
  const { data } = useLoaded((signal) => service().get('listAccessRequests', { limit: '100' }, { signal }), [id]);
  const open = data?.requests.filter((each) => each.presentationId === id && each.status === 'open') ?? [];
  if (open.length === 0) return null;
  return (
    <p class="notice">
      <a href="/dashboard/requests">{words.requests.waiting(open.length)}</a>
    </p>
  );
}
