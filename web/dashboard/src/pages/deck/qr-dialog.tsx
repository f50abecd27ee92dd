import { useRef } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { QrPicture } from '../../ui/qr-picture';
import { words } from '../../words/en';
import { fileName, saveFile } from './save-file';
import type { Link } from './use-deck';

/** The address of a link as a QR code. */
export function QrDialog({ link: { name, shareUrl, shortUrl }, onClose }: { link: Link; onClose: () => void }) {
  const { qrTitle, qrLabel, qrHint, qrDownload } = words.deckLinks;
  // The short address makes fewer and larger modules.
  const url = shortUrl ?? shareUrl!;
  const picture = useRef<SVGSVGElement>(null);
  const save = () => {
    const svg = new XMLSerializer().serializeToString(picture.current!);
    saveFile(new Blob([svg], { type: 'image/svg+xml' }), `${fileName(name)}.svg`);
  };
  return (
    <Dialog title={qrTitle(name)} onClose={onClose}>
      <QrPicture text={url} label={qrLabel} picture={picture} />
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
