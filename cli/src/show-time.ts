/** A moment in local time: `2026-11-22 20:11`. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The offset of the local time at a moment: `UTC+01:00`. */
export function localOffset(iso: string): string {
  const minutes = -new Date(iso).getTimezoneOffset();
  const two = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, '0');
  return minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
