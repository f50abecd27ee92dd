import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { service } from '../service';
import { session } from '../session';
import { onceForEach } from './once-for-each';

/** The first colour of the person's organization. Undefined until it is known. */
const known = signal<{ of: string; colour: string | null } | undefined>(undefined);

const loadOnce = onceForEach(
  (organizationId: string) => organizationId,
  async (organizationId) =>
    setOwnColour(organizationId, (await service().get('getAccount', {})).organization.brandPrimary),
);

/** Called after the person has changed the colour. */
export function setOwnColour(organizationId: string, colour: string | null): void {
  known.value = { of: organizationId, colour };
}

/** The first colour of the person's organization, for a picture that is drawn. It is read when it is first `wanted`. */
export function useOwnColour(isWanted = true): string | null {
  const id = session.value?.organization.organizationId;
  useEffect(() => {
    // A drawing without the colour is no failure.
    if (isWanted && id) loadOnce(id).catch(() => undefined);
  }, [isWanted, id]);
  return isWanted && known.value && known.value.of === id ? known.value.colour : null;
}
