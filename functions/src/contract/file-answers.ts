const headers = ['ETag', 'Cache-Control', 'Accept-Ranges'];

/** The answers of endpoints that send a file with http/send-file. */
export const fileAnswers = {
  200: {
    description: 'The file, with the content type of the manifest.',
    contentTypes: ['*/*'],
    headers: [...headers, 'Content-Length', 'Content-Security-Policy'],
  },
  206: {
    description: 'The requested range of the file, cut to 50 MB or to the response limit of the platform.',
    contentTypes: ['*/*'],
    headers: [...headers, 'Content-Length', 'Content-Range', 'Content-Security-Policy'],
  },
  302: {
    description:
      'The file is larger than the response limit of the platform. `Location` is a short-lived address of its ' +
      'bytes. HTML, SVG and XML are never redirected.',
    headers: ['Location', 'Cache-Control'],
  },
  304: { description: 'The `ETag` in `If-None-Match` is the current `ETag` of the file.', headers },
} as const;

/**
 * The answer to the address of a folder without its last slash. Relative links would not resolve against that address.
 */
export const folderRedirect = {
  308: {
    description: 'The address lacks its last slash. `Location` is the same address with it.',
    headers: ['Location', 'Cache-Control'],
  },
} as const;

/** The answers of endpoints that send a page. */
export const pageAnswer = (description: string) =>
  ({
    200: { description, contentTypes: ['text/html'], headers: ['Cache-Control', 'Content-Security-Policy'] },
  }) as const;
/** A browser that asks for a part of a page gets a line of text. */
export const pageErrorTypes = ['text/html', 'text/plain'];

/** Adds a header to the answers about the bytes of the file. */
export const withHeader = (answers: typeof fileAnswers, name: string) => ({
  ...answers,
  200: { ...answers[200], headers: [...answers[200].headers, name] },
  206: { ...answers[206], headers: [...answers[206].headers, name] },
  304: { ...answers[304], headers: [...answers[304].headers, name] },
});
