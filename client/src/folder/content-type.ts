import mime from 'mime';

/** Finds the content type of a file while its bytes pass. */
export class TypeFinder {
  private readonly type: string;
  private readonly utf8: Utf8Check | undefined;

  constructor(path: string) {
    this.type = mime.getType(path) ?? 'application/octet-stream';
    if (isText(this.type)) this.utf8 = new Utf8Check();
  }

  update(bytes: Uint8Array): void {
    this.utf8?.update(bytes);
  }

  /** Text in another encoding gets no charset, so that the page's own declaration counts. */
  contentType(): string {
    return this.utf8?.isValid() ? `${this.type}; charset=utf-8` : this.type;
  }
}

/** Whether browsers decode the type as text, for which they need its encoding. */
function isText(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^application\/(.*\+)?(javascript|json|xml)$/.test(type) ||
    type.endsWith('+xml') ||
    type === 'application/manifest+json'
  );
}

/** Whether a stream of bytes is valid UTF-8. It stops to decode at the first invalid byte. */
class Utf8Check {
  private decoder: InstanceType<typeof TextDecoder> | undefined = new TextDecoder('utf-8', { fatal: true });

  update(bytes: Uint8Array, isLast = false): void {
    try {
      this.decoder?.decode(bytes, { stream: !isLast });
    } catch {
      this.decoder = undefined;
    }
  }

  isValid(): boolean {
    this.update(new Uint8Array(), true);
    return this.decoder !== undefined;
  }
}
