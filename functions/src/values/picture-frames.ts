/**
 * How many frames a picture has, and the room that they take. Browsers decode all of them when the picture is shown.
 */
export interface Frames {
  count: number;
  /** The farthest right and lower ends of the frames, where a format lets them exceed the size of the picture. */
  right: number;
  bottom: number;
}

/** The frames of a PNG, JPEG, WebP or GIF. What is cut off counts as absent, as browsers show what has arrived. */
export function framesOf(bytes: Uint8Array): Frames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (start === 'GIF8') return framesOfGif(view);
  if (start.startsWith('\xff\xd8')) return frameOfJpeg(view);
  const count = start === '\x89PNG' ? countInPng(view) : start === 'RIFF' ? countInWebp(view) : 1;
  return { count: Math.max(1, count), right: 0, bottom: 0 };
}

const nameAt = (view: DataView, at: number) =>
  String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));

/** Markers from SOF0 to SOF15 that begin no frame: DHT, JPG and DAC. */
const noFrames = new Set([0xc4, 0xc8, 0xcc]);

/**
 * The frame of a JPEG as decoders find it (ITU-T T.81, B.1.1): fill bytes may stand before a marker, and decoders skip
 * what is none. `image-size` takes both for the length of a segment.
 */
function frameOfJpeg(view: DataView): Frames {
  const frames = { count: 1, right: 0, bottom: 0 };
  for (let at = 2; at + 9 <= view.byteLength; at++) {
    const marker = view.getUint8(at - 1) === 0xff ? view.getUint8(at) : 0;
    const isStandalone = marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8) || marker === 0xff;
    if (isStandalone) continue;
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker))
      return { ...frames, right: view.getUint16(at + 6), bottom: view.getUint16(at + 4) };
    // The scan begins, or the picture ends.
    if (marker === 0xda || marker === 0xd9) break;
    // What stands in a segment belongs to no marker, its last byte included.
    at += view.getUint16(at + 1) + 1;
  }
  return frames;
}

/** An animation names its frames twice: their number in `acTL`, and each in an `fcTL`. */
function countInPng(view: DataView): number {
  let declared = 0;
  let found = 0;
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const name = nameAt(view, at + 4);
    if (name === 'acTL') declared = view.getUint32(at + 8);
    if (name === 'fcTL') found++;
  }
  return Math.max(declared, found);
}

function countInWebp(view: DataView): number {
  let found = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    if (nameAt(view, at) === 'ANMF') found++;
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
  return found;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;

function framesOfGif(view: DataView): Frames {
  const frames = { count: 0, right: 0, bottom: 0 };
  const byte = (at: number) => (at < view.byteLength ? view.getUint8(at) : 0);
  /** The length of the colour table that a byte of flags announces. */
  const tableOf = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableOf(byte(10));
  while (at + 10 <= view.byteLength) {
    const sort = byte(at);
    if (sort === IMAGE) {
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) => view.getUint16(at + offset, true)) as FrameBox;
      frames.count++;
      frames.right = Math.max(frames.right, left + width);
      frames.bottom = Math.max(frames.bottom, top + height);
      at += 11 + tableOf(byte(at + 9));
    } else if (sort === EXTENSION) at += 2;
    else break;
    while (byte(at) > 0) at += 1 + byte(at);
    at++;
  }
  return { ...frames, count: Math.max(1, frames.count) };
}

type FrameBox = [left: number, top: number, width: number, height: number];
