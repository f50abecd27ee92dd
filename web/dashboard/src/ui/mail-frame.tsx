import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words/en';

/** The HTML of a mail, in a page of this site that has its own policy and an opaque origin. */
export function MailFrame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      if (!source || source !== frame.current?.contentWindow) return;
      if (data === 'ready') setReady(true);
      else setHeight((data as { height: number }).height);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  useEffect(() => {
    // The frame has an opaque origin, which no target names. It holds no page but this one, which navigates nowhere.
    if (isReady) frame.current?.contentWindow?.postMessage(html, '*');
  }, [isReady, html]);
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
