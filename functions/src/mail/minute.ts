/** `2026-03-14 09:26 UTC` */
export const minuteOf = (time: Date): string => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
