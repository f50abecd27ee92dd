/** A slide of a listing, with the address of its picture and its size in pixels. */
export interface ShownSlide {
  url: string;
  title: string | null;
  /** The position of the slide, from 0. */
  index: number;
  width: number;
  height: number;
}

/**
 * The first slides of a listing, in a row that scrolls. A picture that does not load shows its alternative text on the
 * ground of a picture.
 */
export const SlideRow = ({ slides }: { slides: readonly ShownSlide[] }) =>
  slides.length > 0 && (
    <section class="slides" aria-label="The first slides" tabIndex={0}>
      <ol>
        {slides.map(({ url, title, index, width, height }) => (
          <li key={url}>
            <img
              class="picture"
              src={url}
              alt={title ?? `Slide ${index + 1}`}
              lang={title === null ? undefined : ''}
              width={width}
              height={height}
              loading="lazy"
              decoding="async"
            />
          </li>
        ))}
      </ol>
    </section>
  );
