/** Whether a file is a picture that browsers show, by its name. */
export const isImage = (path: string) => /\.(png|jpe?g|gif|webp|avif|svg)$/i.test(path);

/** Files that systems write beside pictures. */
const isOfSystem = (path: string) => /(^|\/)(thumbs\.db|desktop\.ini)$/i.test(path);

/** Of files that are pictures and nothing else the pictures. Undefined for all others, and for none. */
export function imagesOf<F extends { path: string }>(files: readonly F[]): F[] | undefined {
  const images = files.filter(({ path }) => !isOfSystem(path));
  return images.length > 0 && images.every(({ path }) => isImage(path)) ? images : undefined;
}
