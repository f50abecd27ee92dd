import { useRef } from 'preact/hooks';
import { encode } from 'uqr';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { words } from '../../words/en';
import { fileName, saveFile } from './save-file';
import type { Link } from './use-deck';

/** Readers need an empty edge of four modules. */
const EDGE = 4;

/** The address of a link as a QR code, black on white in both colour schemes: many readers need that. */
export function QrDialog({ link: { name, shareUrl, shortUrl }, onClose }: { link: Link; onClose: () => void }) {
  const { qrTitle, qrLabel, qrHint, qrDownload } = words.deckLinks;
  // The short address makes fewer and larger modules.
  const url = shortUrl ?? shareUrl!;
  const { size, path } = drawn(url);
  const picture = useRef<SVGSVGElement>(null);
  const save = () => {
    const svg = new XMLSerializer().serializeToString(picture.current!);
    saveFile(new Blob([svg], { type: 'image/svg+xml' }), `${fileName(name)}.svg`);
  };
  return (
    <Dialog title={qrTitle(name)} onClose={onClose}>
      <svg
        class="qr"
        ref={picture}
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={qrLabel}
        shape-rendering="crispEdges"
      >
        <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
        <path fill="#000" d={path} />
      </svg>
      <p class="quiet small">{qrHint}</p>
      <div class="actions end">
        <CopyButton text={url} label={words.deck.copyLink} />
        <button type="button" class="button primary" onClick={save}>
          <Icon name="download" />
          {qrDownload}
        </button>
      </div>
    </Dialog>
  );
}

/** The dark modules as one path. */
function drawn(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: 'M', border: EDGE });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}
