const two = (number: number) => String(number).padStart(2, '0');

/** The local day of a moment: `2026-11-22`. */
export function localDay(iso: string): string {
  const time = new Date(iso);
  return [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
}

/** A moment in local time: `2026-11-22 20:11`. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  return `${localDay(iso)} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long it is until a moment: `in 7 days`. */
export function timeUntil(iso: string): string {
  const left = Date.parse(iso) - Date.now();
  const [unit, milliseconds] = UNITS.find(([, each]) => left >= each) ?? UNITS[2];
  return new Intl.RelativeTimeFormat('en').format(Math.round(left / milliseconds), unit);
}

/** The offset of the local time at a moment: `UTC+01:00`. */
export function localOffset(iso: string): string {
  const minutes = -new Date(iso).getTimezoneOffset();
  return minutes === 0
    ? 'UTC'
    : `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/** An amount of time in its two largest units: `12 s`, `4 min 10 s`, `1 h 20 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0)
    return minutes > 0 ? `${hours.toLocaleString('en')} h ${minutes} min` : `${hours.toLocaleString('en')} h`;
  return minutes > 0 ? `${minutes} min${rest > 0 ? ` ${rest} s` : ''}` : `${rest} s`;
}
