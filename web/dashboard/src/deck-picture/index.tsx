import { useEffect, useRef, useState } from 'preact/hooks';
import 'virtual:cards.css';
import { DrawnPicture } from '../../../../functions/src/house/drawn-picture';
import { loadPicture, type PictureFile } from './load';
import './style.css';

interface DeckPictureProps {
  deck: { id: string; title: string; version: number; picture: PictureFile | null };
}

/**
 * The thumbnail of a deck, as wide as its place and 16:9. The picture that the marketplace draws stands there without
 * one, and until the thumbnail is loaded. It is loaded when it comes near to the visible part of the page.
 */
export function DeckPicture({ deck }: DeckPictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [address, setAddress] = useState<string>();
  const { id, title, version, picture } = deck;
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
      <DrawnPicture title={title} />
      {address && <img src={address} alt="" />}
    </div>
  );
}
