import type { Ref } from 'preact';

interface DeckFrameProps {
  address: string;
  title: string;
  frameRef?: Ref<HTMLIFrameElement>;
  onLoad?: () => void;
}

/** A deck in a frame with an origin of its own, as its answers demand, too. */
export const DeckFrame = ({ address, title, frameRef, onLoad }: DeckFrameProps) => (
  <iframe
    ref={frameRef}
    class="deck-frame"
    src={address}
    title={title}
    sandbox="allow-scripts allow-forms allow-popups allow-modals allow-pointer-lock allow-downloads"
    allow="fullscreen; autoplay"
    referrerpolicy="no-referrer"
    onLoad={onLoad}
  />
);
