import { useEffect, useRef, useState } from 'preact/hooks';
import { service } from '../service';
import './style.css';

interface DeckPictureProps {
  deck: {
    id: string;
    title: string;
    version: number;
    picture: { sha256: string; contentType: string; size: number } | null;
  };
}

/** Addresses of the pictures that this tab has loaded, by their hashes. They live as long as the tab. */
const loaded = new Map<string, Promise<string>>();

/**
 * The thumbnail of a deck, as wide as its place and 16:9. A drawing of its title stands there without one, and until the picture is
 * loaded. It is loaded when it comes near to the visible part of the page.
 */
export function DeckPicture({ deck }: DeckPictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [address, setAddress] = useState<string>();
  const sha256 = deck.picture?.sha256;
  useEffect(() => {
    setAddress(undefined);
    if (!sha256) return;
    let isGone = false;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        // The drawing stays when the picture does not load.
        load(deck).then(
          (found) => isGone || setAddress(found),
          () => undefined,
        );
      },
      { rootMargin: '300px' },
    );
    observer.observe(place.current!);
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, [deck.id, sha256]);

  return (
    <div class="deck-picture" ref={place} aria-hidden="true" style={{ '--hue': String(hueOf(deck.id)) }}>
      <span dir="auto">{deck.title}</span>
      {address && <img src={address} alt="" />}
    </div>
  );
}

function load({ id, version, picture }: DeckPictureProps['deck']): Promise<string> {
  const { sha256, contentType, size } = picture!;
  const known = loaded.get(sha256);
  if (known) return known;
  const found = readAll({ presentationId: id, version: String(version), sha256 }, size)
    .then((parts) => URL.createObjectURL(new Blob(parts, { type: contentType })))
    .catch((error: unknown) => {
      loaded.delete(sha256);
      throw error;
    });
  loaded.set(sha256, found);
  return found;
}

async function readAll(file: { presentationId: string; version: string; sha256: string }, size: number) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < size; from += parts.at(-1)!.length) {
    parts.push((await service().getBytes(file, { from, to: size - 1 })) as Uint8Array<ArrayBuffer>);
  }
  return parts;
}

/** Hues in degrees that go with white text and with each other. */
const hues = [160, 195, 225, 255, 285, 315, 350, 20];

/** A colour that stays the same for the deck. */
function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hues[hash % hues.length]!;
}
