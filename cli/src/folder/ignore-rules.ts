import ignore from 'ignore';

/** What stays at home unless `.deckignore` says otherwise: a line such as `!.well-known/` brings one back. */
const usual = ['.*', 'node_modules/'];

/** What is never pushed, whatever `.deckignore` says. */
const never = ['.deck.json', '.deckignore', '.git/', '.git'];

/**
 * Tells whether a path of the folder stays at home. `deckignore` is the text of the folder's own rules, in gitignore's
 * syntax. Upper and lower case differ on every system, so that the same folder is the same deck everywhere.
 */
export function ignoreRules(deckignore = ''): (path: string, isFolder: boolean) => boolean {
  const rules = ignore({ ignorecase: false }).add(usual).add(deckignore);
  const fixed = ignore({ ignorecase: false }).add(never);
  return (path, isFolder) => {
    const tested = isFolder ? `${path}/` : path;
    return fixed.ignores(tested) || rules.ignores(tested);
  };
}
