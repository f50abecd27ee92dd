import { ProtocolError } from './status';

/** A message is preceded by one byte, 0 for an uncompressed message, and by its length in four bytes. */
const PREFIX_BYTES = 5;

/**
 * The largest message that is accepted. An answer has one document of at most 1 MiB, which has at most five times as
 * many bytes in the wire format.
 */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The bytes that send a message. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, PREFIX_BYTES);
  return frame;
}

/** Finds the messages in the bytes of an answer, which arrive in pieces of any size. */
export class MessageReader {
  readonly #receive: (message: Buffer) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The bytes that are needed before the pieces are looked at again. */
  #needed = PREFIX_BYTES;

  constructor(receive: (message: Buffer) => void) {
    this.#receive = receive;
  }

  /** Whether no message has begun. */
  get isAtEnd(): boolean {
    return this.#size === 0;
  }

  /** Takes a piece. Throws what `receive` throws, and `ProtocolError` for a message that is not accepted. */
  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#needed) return;
    let bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    this.#needed = PREFIX_BYTES;
    while (bytes.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + lengthOf(bytes);
      if (bytes.length < end) {
        this.#needed = end;
        break;
      }
      this.#receive(bytes.subarray(PREFIX_BYTES, end));
      bytes = bytes.subarray(end);
    }
    this.#pieces = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
  }
}

function lengthOf(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new ProtocolError('The server compressed a message.');
  const length = bytes.readUInt32BE(1);
  if (length > MAX_MESSAGE_BYTES) throw new ProtocolError(`A message has ${length} bytes.`);
  return length;
}
