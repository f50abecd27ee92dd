import mime from 'mime';

/** The MIME type for a file name, without parameters; `application/octet-stream` for what is unknown. */
export function mimeType(path: string): string {
  return mime.getType(path) ?? 'application/octet-stream';
}

/** Whether browsers read the type as text and so want to know its encoding. */
export function isText(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^application\/(.*\+)?(javascript|json|xml)$/.test(type) ||
    type.endsWith('+xml') ||
    type === 'application/manifest+json'
  );
}

/** The type as it is pushed: text that proved to be UTF-8 says so; other text is left to the page's own declaration. */
export function contentType(path: string, isUtf8: boolean): string {
  const type = mimeType(path);
  return isText(type) && isUtf8 ? `${type}; charset=utf-8` : type;
}
