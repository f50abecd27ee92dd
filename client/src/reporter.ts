import type { ServiceInfo } from './inspection/ask-service';
import type { Warning } from './inspection/warning';
import type { Amount } from './pushed-file';

/** A part of a push or of a download that takes long. */
export type Stage = 'hash' | 'upload' | 'download';

/** What a push or a download tells its caller while it works. A caller leaves out what it does not want to know. */
export interface Reporter {
  /** A stage begins with so much work. A stage with nothing to do does not begin. */
  onStart?: (stage: Stage, amount: Amount) => void;
  /** So many bytes more are done. A negative number takes back the bytes of a failed attempt. */
  onBytes?: (bytes: number) => void;
  /** So many bytes of a file are sent. Only files that the service lacks. */
  onFile?: (path: string, sentBytes: number) => void;
  /** The service has stored the file: another push does not send it again. */
  onStored?: (path: string) => void;
  /** The stage is complete. It is not called when the stage fails. */
  onEnd?: (stage: Stage, amount: Amount) => void;
  /**
   * The commit begins: from now on the version may be made, also when its answer is lost. It is called again when the
   * service lacks files that it held, after they are sent.
   */
  onCommit?: () => void;
  /** The file with which the deck opens. It is called before the stage `hash`. */
  onEntry?: (entryPath: string) => void;
  /**
   * What the service tells about itself. A push calls it before the upload, unless the service does not answer this.
   */
  onService?: (info: ServiceInfo) => void;
  /**
   * What the viewers of the deck will miss, and what looks like a secret. It is called before the upload, at most once
   * for each, and only when there are warnings.
   */
  onWarnings?: (warnings: readonly Warning[]) => void;
}
