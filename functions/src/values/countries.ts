const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * The English name of a country by its two letters (ISO 3166-1), or null for letters that are not those of a country.
 */
export const countryName = (code: string): string | null => names.of(code) ?? null;
