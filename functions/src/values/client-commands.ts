/** The command that installs the client from the site of the service, so that the versions fit. */
export function installCommand(clientUrl: string): string {
  return ['npm', 'install', '--global', clientUrl].map(shellWord).join(' ');
}

/** A command of the client that works on the service at `baseUrl`, whatever service the reader used before. */
export function deckCommand(baseUrl: string, ...words: string[]): string {
  return ['deck', ...words, '--base-url', baseUrl].map(shellWord).join(' ');
}

/** A word as a shell reads it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
