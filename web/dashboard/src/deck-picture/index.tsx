import { useEffect, useRef, useState } from 'preact/hooks';
import 'virtual:cards.css';
import { DrawnPicture } from '../../../../functions/src/house/drawn-picture';
import { loadPicture, type PictureFile } from './load';
import { useOwnColour } from './own-colour';
import './style.css';

interface DeckPictureProps {
  deck: { id: string; title: string; version: number; role: 'owner' | 'dev'; picture: PictureFile | null };
  /** Whether the title stands beside the picture. It does where the deck has a thumbnail. */
  isBare?: boolean;
}

/**
 * The thumbnail of a deck, as wide as its place and 16:9. The picture that the marketplace draws stands there without
 * one, and until the thumbnail is loaded. It is loaded when it comes near to the visible part of the page.
 */
export function DeckPicture({ deck, isBare = deck.picture !== null }: DeckPictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [address, setAddress] = useState<string>();
  const { id, title, version, role, picture } = deck;
  const colour = useOwnColour(role === 'owner' && picture === null);
  useEffect(() => {
    setAddress(undefined);
    if (!picture) return;
    let isGone = false;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        // The drawing stays when the picture does not load.
        loadPicture(id, version, picture).then(
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
  }, [id, picture?.sha256]);

  return (
    <div class="deck-picture" ref={place} aria-hidden="true">
      <DrawnPicture title={title} colour={colour} isBare={isBare} />
      {address && <img src={address} alt="" />}
    </div>
  );
}
