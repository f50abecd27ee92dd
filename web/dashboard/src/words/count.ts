import { formatNumber } from '../format';

const one = new Intl.PluralRules('en');

/** `1 deck`, `1,200 decks`. `text` stands in the place of the number. */
export const count = (value: number, singular: string, plural = `${singular}s`, text = formatNumber(value)): string =>
  `${text} ${one.select(value) === 'one' ? singular : plural}`;
