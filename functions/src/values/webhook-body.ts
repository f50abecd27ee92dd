interface EventRow {
  type: string;
  createdAt: string;
  organizationId: string;
  presentationId: string | null;
  actor: unknown;
  data: unknown;
}

/** The body of the request that tells a webhook of an event of the feed. */
export const webhookBody = ({ type, createdAt, data, organizationId, presentationId, actor }: EventRow): string =>
  JSON.stringify({ type, timestamp: createdAt, data, organizationId, presentationId, actor });
