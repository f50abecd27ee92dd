import { formatNumber } from '../format';

const one = new Intl.PluralRules('en');

/** `1 deck`, `1,200 decks`. */
export const count = (
  value: number,
  singular: string,
  { plural = `${singular}s`, format = formatNumber } = {},
): string => `${format(value)} ${one.select(value) === 'one' ? singular : plural}`;
