/** The size of a page in points. */
export const sizeOf = ({ dataset }: HTMLElement) => ({
  width: Number(dataset['width']),
  height: Number(dataset['height']),
});
