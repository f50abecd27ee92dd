import { InvalidArgumentError } from 'commander';

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

/** Checked here already: a code that came with a wrong number would be used up. */
export function days(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > 365) throw new InvalidArgumentError('It is 1 to 365.');
  return number;
}

export function several(text: string, before: string[] = []): string[] {
  return [...before, text];
}
