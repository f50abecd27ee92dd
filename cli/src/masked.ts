import { isCI } from 'ci-info';

/** The token of a share link, in the forms of its address, and the ticket of whoever presents behind it. */
const TOKEN = /(\/share\/[\da-f-]{36}\/?\?(?:[^\s"']*&)?token=|\/_t\/)[\w-]{20,}(#present=[\w.-]+)?/g;
/** The code of a short address, which leads to the share link. */
const SHORT_CODE = /(\/s\/)[1-9A-HJ-NP-Za-km-z]{16}(?![\w-])/g;

/**
 * The text for a stream. The log of a CI (any that `ci-info` knows), where the stream is not a terminal, is kept and
 * read by many: links are shown without their token there. `--json` is for programs and has them.
 */
export function masked(text: string, { isTTY }: { isTTY?: boolean }): string {
  return isCI && isTTY !== true ? text.replace(TOKEN, '$1***').replace(SHORT_CODE, '$1***') : text;
}
