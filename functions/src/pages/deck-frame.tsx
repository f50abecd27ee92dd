import { outer } from '../../runtime/bundle.cjs';
import { raw } from '../house/attributes';
import { inlineHash } from '../house/render';
import { sandboxFlags } from '../policy/sandbox';

/** The source expression of a Content-Security-Policy that allows the script of `DeckFrame`. */
export const deckFrameScript = () => inlineHash(outer);

interface DeckFrameProps {
  deckUrl: string;
  title: string;
  /** Where the deck sends what its reader looks at, and asks for a live session, with the signed ticket of the view. */
  seen: { url: string; ticket: string };
  /** The ticket with which the deck follows the live session of its link. */
  live?: string | undefined;
}

/**
 * A deck in a frame, and the script that shows the deck's address and title as those of the page. The frame has the
 * same sandbox as the deck's answers; each of the two is sufficient. The browser parses a noscript element as text, of
 * which the script makes the frame with the hash of the page. So the deck is requested once.
 */
export const DeckFrame = ({ deckUrl, title, seen, live }: DeckFrameProps) => (
  <>
    <main data-seen={seen.url} data-ticket={seen.ticket} data-live={live}>
      <noscript>
        <iframe
          src={deckUrl}
          title={title}
          sandbox={sandboxFlags}
          allow="fullscreen; autoplay; clipboard-write; screen-wake-lock"
          referrerpolicy="no-referrer"
        />
      </noscript>
    </main>
    <script {...raw(outer)} />
  </>
);
