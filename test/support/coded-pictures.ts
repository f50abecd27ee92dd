import type { CodedPicture } from './pdf-file';

/** A number in big-endian order. */
const number = (value: number, bytes: 1 | 2 | 4) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const byte = (...values: number[]) => Buffer.from(values);
const long = (value: number) => number(value, 4);
const short = (value: number) => number(value, 2);

/** 16 pixels in a square. */
const SIDE = 16;

/** A JPEG 2000 picture without coefficients: all of its pixels are the middle grey. */
export function aJpeg2000(): CodedPicture {
  const segment = (marker: number, ...content: Buffer[]) => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([short(marker), short(bytes.length + 2), bytes]);
  };
  // The picture, its offset, one tile, the offset of tiles. Then one component of 8 bits without subsampling.
  const size = [SIDE, SIDE, 0, 0, SIDE, SIDE, 0, 0].map(long);
  const header = [
    segment(0xff51, short(0), ...size, short(1), byte(7, 1, 1)),
    // One layer, no decomposition, code blocks of 64 pixels, the reversible transform. Then exponents of its one band.
    segment(0xff52, byte(0, 0, 0, 1, 0, 0, 4, 4, 0, 1)),
    segment(0xff5c, byte(0x40, 0x40)),
  ];
  const packet = byte(0);
  const tile = segment(0xff90, short(0), long(12 + 2 + packet.length), byte(0, 1));
  const bytes = Buffer.concat([short(0xff4f), ...header, tile, short(0xff93), packet, short(0xffd9)]);
  return { bytes, dictionary: { Width: SIDE, Height: SIDE, Filter: 'JPXDecode' } };
}

/** A JBIG2 picture: its page is black, and its left half is replaced by a white region. */
export function aJbig2(): CodedPicture {
  const segment = (at: number, type: number, ...content: Buffer[]) => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([long(at), byte(type, 0, 1), long(bytes.length), bytes]);
  };
  const page = segment(0, 48, long(SIDE), long(SIDE), long(0), long(0), byte(0b100), short(0));
  const REPLACE = 4;
  const place = Buffer.concat([long(SIDE / 2), long(SIDE), long(0), long(0), byte(REPLACE)]);
  // Each bit says that a row is as the white one before it. Then the end of the block.
  const rows = byte(0xff, 0xff, 0x00, 0x10, 0x01);
  const region = segment(1, 38, place, byte(0b1), rows);
  const dictionary = { Width: SIDE, Height: SIDE, Filter: 'JBIG2Decode', BitsPerComponent: 1 };
  return { bytes: Buffer.concat([page, region]), dictionary: { ...dictionary, ColorSpace: 'DeviceGray' } };
}
