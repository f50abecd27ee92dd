/** Something in the deck that its viewers will miss, or for which the service refuses it. It never stops a push. */
export interface Warning {
  /** Stable, for scripts. */
  code:
    | 'too-many-files'
    | 'payload-too-large'
    | 'source-changed'
    | 'merge-untold'
    | 'not-built'
    | 'leaves-deck'
    | 'blank-router'
    | 'blank-pdf'
    | 'no-speaker-view'
    | 'other-base'
    | 'missing-file'
    | 'ignored-file'
    | 'case-differs'
    | 'reserved-path'
    | 'unused-rules'
    | 'secret'
    | 'not-checked';
  message: string;
  nextAction?: string | undefined;
  /** The file that it is about; for `missing-file` the path that the deck lacks. */
  path?: string;
  /** How the deck asks for the file, or the rule, and where: `index.html:12`. */
  address?: string;
  source?: string;
}
