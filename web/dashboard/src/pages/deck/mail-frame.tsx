import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../../words/en';

/** The HTML of a mail, in a page of this site that has its own policy and an opaque origin. */
export function MailFrame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const inner = frame.current?.contentWindow;
      if (!inner || source !== inner) return;
      // The frame has an opaque origin, which no target names. It holds no page but this one, which navigates nowhere.
      if (data === 'ready') inner.postMessage(html, '*');
      else setHeight((data as { height: number }).height);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [html]);
  return (
    <iframe
      ref={frame}
      src="/mail-frame"
      title={words.deckMails.previewTitle}
      sandbox="allow-scripts"
      style={height === undefined ? {} : { height: `${height}px` }}
    />
  );
}
