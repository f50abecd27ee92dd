import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** A number of days, 1 to 365. The client checks it before the call, because the call uses up the one-time code. */
export function days(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > 365) throw new InvalidArgumentError('It must be 1 to 365.');
  return number;
}
