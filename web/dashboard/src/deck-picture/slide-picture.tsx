import { useEffect, useRef, useState } from 'preact/hooks';
import pLimit from 'p-limit';
import { isolated } from '../isolated';
import { service, type Answer } from '../service';
import { Dialog } from '../ui/dialog';
import { words } from '../words/en';
import './slide-picture.css';

/** A slide that has a picture. */
export type Slide = Answer<'listSlidePictures'>['slides'][number];

interface SlidePictureProps {
  id: string;
  version: number;
  slide: Slide;
  /** What tells the picture from others: the title of its slide, or its position. */
  title: string;
}

/** An instance of the service sends one picture at a time, so more at once would start more instances. */
const loading = pLimit(4);

/** The picture of a slide, 16:9. It is loaded when it can be seen. A click shows it larger. */
export function SlidePicture({ id, version, slide, title }: SlidePictureProps) {
  const place = useRef<HTMLButtonElement>(null);
  const [address, setAddress] = useState<string>();
  const [isLarge, setLarge] = useState(false);
  const { key, sha256, width, height } = slide;
  useEffect(() => {
    const stop = new AbortController();
    let isSeen = false;
    let isAsked = false;
    let url: string | undefined;
    const load = async () => {
      // The person may have scrolled on while other pictures were loaded.
      if (!isSeen || stop.signal.aborted) return void (isAsked = false);
      const bytes = await service().getSlidePicture({ presentationId: id, version, key, sha256 }, stop.signal);
      observer.disconnect();
      url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'image/webp' }));
      setAddress(url);
    };
    const observer = new IntersectionObserver((entries) => {
      isSeen = entries.at(-1)!.isIntersecting;
      if (!isSeen || isAsked) return;
      isAsked = true;
      // The place stays empty when the picture does not load.
      loading(load).catch(() => undefined);
    });
    observer.observe(place.current!);
    return () => {
      stop.abort();
      observer.disconnect();
      if (url !== undefined) URL.revokeObjectURL(url);
      setAddress(undefined);
    };
  }, [id, version, key, sha256]);

  return (
    <>
      <button
        type="button"
        class="slide-picture"
        ref={place}
        aria-label={words.pictures.enlarge(title)}
        aria-haspopup="dialog"
        aria-disabled={address === undefined}
        onClick={() => setLarge(address !== undefined)}
      >
        {address !== undefined && <img src={address} alt={title} width={width} height={height} />}
      </button>
      {isLarge && (
        <Dialog title={isolated(title)} isWide onClose={() => setLarge(false)}>
          <img class="large-slide" src={address} alt="" width={width} height={height} />
        </Dialog>
      )}
    </>
  );
}

/** The place of a picture that does not exist, with a short text or none. */
export const NoSlidePicture = ({ text }: { text?: string }) => <div class="slide-picture none">{text}</div>;
