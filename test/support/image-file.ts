import sharp from 'sharp';

/** A PNG in one colour. Equal arguments make equal bytes. */
export const aPng = (width: number, height: number, background = '#0b6273'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
