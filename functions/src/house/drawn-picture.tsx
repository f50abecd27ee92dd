import { inkOn } from '../values/contrast';
import { pictures } from './tokens.json';

interface DrawnPictureProps {
  title: string;
  /** The brand colour of the organization (`#rrggbb`). Without one, the title decides the colours. */
  colour?: string | null | undefined;
  /** Whether the title stands beside the picture, so that the picture does not repeat it. */
  isBare?: boolean;
}

/**
 * The picture of a deck that has none: its title on a plain cover. It shows nothing that may be taken for a slide of
 * the deck. A deck has the same picture wherever it is shown. `card-style.ts` has its style.
 */
export function DrawnPicture({ title, colour, isBare = false }: DrawnPictureProps) {
  const ground = colour && COLOUR.test(colour) ? colour : undefined;
  const look = ground ? (inkOn(ground) === '#ffffff' ? 'on-dark' : 'on-light') : `p${paletteOf(title)}`;
  return (
    <div class={`picture drawn ${look}`} aria-hidden="true">
      {/* The policy of the pages forbids style attributes, but not the fill of a shape. */}
      <svg viewBox="0 0 320 180" preserveAspectRatio="none" focusable="false">
        <rect class="a" width={320} height={180} fill={ground} />
        <rect class="c" y={172} width={320} height={8} />
      </svg>
      {!isBare && (
        <span dir="auto" lang="">
          {title}
        </span>
      )}
    </div>
  );
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The number of the palette that a text decides, by its FNV-1a hash. */
function paletteOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return (hash >>> 0) % pictures.length;
}
