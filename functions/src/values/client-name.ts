/** In the order of the tests: Edge and Opera call themselves Chrome, too, and Chrome calls itself Safari. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * What a `User-Agent` says about the client, for a person: "Firefox on Windows". It has fixed words only, because a
 * stranger chooses the header, and the text stands in a mail of the service.
 */
export function clientName(userAgent = ''): string {
  if (/^deckhost\//.test(userAgent)) return 'the deck command';
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (!browser) return 'a program';
  return system ? `${browser} on ${system}` : browser;
}
