/** The form of `datetime-local`: `2031-01-31T18:00`, in the zone of the reader. */
export function localOf(iso: string | null): string {
  if (!iso) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const isOver = (iso: string | null | undefined): boolean => Boolean(iso) && Date.parse(iso!) <= Date.now();
