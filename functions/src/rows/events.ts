import { isAddress } from '../values/mailboxes';

/** The rows of events in answers and requests. A parameter has the fields of a record that the row needs. */

type EventFields<Actor extends { kind: string }> = {
  eventId: string;
  type: string;
  createdAt: Date;
  organizationId: string;
  presentationId: string | null;
  actor: Actor;
  reader: string | null;
  data: Record<string, unknown>;
};

/** An event. The address of a reader is stored apart, and as the name of the link that was mailed to the reader. */
export function eventView<Actor extends { kind: string }>(
  { createdAt, actor, reader, data, ...of }: EventFields<Actor>,
  includeReaders: boolean,
) {
  const email = includeReaders ? reader : null;
  const viewOf = (view: { tokenName: string }) => {
    return { ...view, email, ...(!includeReaders && isAddress(view.tokenName) && { tokenName: '' }) };
  };
  const { eventId, type, organizationId, presentationId } = of;
  return {
    eventId,
    type,
    createdAt: createdAt.toISOString(),
    organizationId,
    presentationId,
    actor: actor.kind === 'reader' ? { ...actor, email } : actor,
    data: 'view' in data ? { ...data, view: viewOf(data['view'] as { tokenName: string }) } : data,
  };
}
