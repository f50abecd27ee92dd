import { formatAgo, formatDateAndTime } from '../format';

/** A time as people say it (`2 hours ago`). The title has the exact time. */
export function Time({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatDateAndTime(iso)}>
      {formatAgo(iso)}
    </time>
  );
}
