import { outer } from '../../runtime/bundle.cjs';
import { sandboxFlags } from '../policy/sandbox';
import { markup, trusted, type Markup } from '../values/markup';
import { inlineHash } from './inline-hash';

/** The source expression of a Content-Security-Policy that allows the script of `deckFrame`. */
export const deckFrameScript = () => inlineHash(outer);

/**
 * A deck in a frame, and the script that shows the deck's address and title as those of the page. The frame has the
 * same sandbox as the deck's answers; each of the two is sufficient. The browser parses a noscript element as text, of
 * which the script makes the frame with the hash of the page. So the deck is requested once.
 */
export function deckFrame(deckUrl: string, title: string): Markup {
  return markup`<main><noscript><iframe src="${deckUrl}" title="${title}" sandbox="${sandboxFlags}" allow="fullscreen; autoplay; clipboard-write; screen-wake-lock" referrerpolicy="no-referrer"></iframe></noscript></main>
<script>${trusted(outer)}</script>`;
}
