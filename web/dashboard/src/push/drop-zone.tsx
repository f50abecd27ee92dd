import { readDropped, type Dropped } from 'deckhost-client/browser';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../ui/icon';
import { words } from '../words/en';

/** What a page was given. */
export interface Given extends Dropped {
  /** The full name of the only folder or file. Undefined for several. */
  source: string | undefined;
}

interface DropZoneProps {
  label: string;
  isBusy: boolean;
  /** Called at once with what the page is given: a browser forgets a dropped folder after the event. */
  onGiven: (reading: Promise<Given>) => void;
}

/** Only a PDF needs pdf.js. */
const pdf = async () => (await import('./pdf')).pdfTool();
const images = async (path: string) => (await import('./pdf')).part(path);
const READERS = { pdf, images };

/** Files of a chosen folder have its name in their paths. A dropped folder is one file with its name. */
function sourceOf([first, ...others]: readonly File[]): string | undefined {
  const [folder] = first?.webkitRelativePath.split('/') ?? [];
  return folder || (others.length === 0 ? first?.name : undefined);
}

async function read(given: DataTransfer | readonly File[], files: FileList): Promise<Given> {
  const source = sourceOf([...files]);
  return { ...(await readDropped(given, READERS)), source };
}

/** Takes a folder, an archive or files: dropped, or chosen with one of two buttons. */
export function DropZone({ label, isBusy, onGiven }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const choose = (input: HTMLInputElement) => {
    if (input.files?.length) onGiven(read([...input.files], input.files));
    // The same folder can be chosen again.
    input.value = '';
  };
  // Preact does not know the attribute with which browsers offer folders.
  const folders: object = { webkitdirectory: true };
  return (
    <div
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      aria-busy={isBusy}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!isBusy && event.dataTransfer) onGiven(read(event.dataTransfer, event.dataTransfer.files));
      }}
    >
      <Icon name="upload" />
      <p class="label-large">{isBusy ? words.push.reading : label}</p>
      <div class="actions">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => folder.current?.click()}>
          {words.push.folder}
        </button>
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => file.current?.click()}>
          {words.push.file}
        </button>
      </div>
      <p class="quiet small">{words.push.left}</p>
      <input
        {...folders}
        ref={folder}
        type="file"
        hidden
        aria-label={words.push.folder}
        onChange={(event) => choose(event.currentTarget)}
      />
      <input
        ref={file}
        type="file"
        hidden
        multiple
        accept=".zip,.pdf,.html,.htm,.svg,application/zip,application/pdf,text/html,image/png,image/jpeg,image/gif,image/webp,image/avif"
        aria-label={words.push.file}
        onChange={(event) => choose(event.currentTarget)}
      />
    </div>
  );
}
