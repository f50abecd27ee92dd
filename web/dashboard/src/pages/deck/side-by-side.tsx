import { useLayoutEffect, useRef } from 'preact/hooks';
import { messageIn, send } from '../../../../../functions/runtime/messages';
import { DeckFrame } from '../../ui/deck-frame';
import { FailureNotice } from '../../ui/failure-notice';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { framedVersion } from './preview';

interface SideBySideProps {
  id: string;
  from: number;
  to: number;
}

/** Two versions of a deck in frames. Where a deck writes its slide into its hash, the other version follows. */
export function SideBySide({ id, from, to }: SideBySideProps) {
  const versions = [from, to];
  const { data, failure, reload } = useLoaded(
    (signal) => Promise.all(versions.map((version) => framedVersion(id, version, signal))),
    [id, from, to],
  );
  const frames = useRef<(HTMLIFrameElement | null)[]>([]);
  useLayoutEffect(() => {
    const follow = (event: MessageEvent<unknown>) => {
      const told = messageIn(event);
      const at = frames.current.findIndex((frame) => frame !== null && frame.contentWindow === event.source);
      // Only the frame in which the person is leads: the answer of the other one would lead back.
      if (!told || at < 0 || document.activeElement !== frames.current[at]) return;
      const other = frames.current[1 - at]?.contentWindow;
      if (other && typeof told['hash'] === 'string') send(other, { hash: told['hash'] });
    };
    addEventListener('message', follow);
    return () => removeEventListener('message', follow);
  }, []);
  const ask = (at: number) => {
    const opened = frames.current[at]?.contentWindow;
    if (opened) send(opened, { isHello: true });
  };
  return (
    <>
      <div class="side-by-side">
        {versions.map((version, at) => (
          <figure key={version}>
            <figcaption>{words.deck.version(version)}</figcaption>
            {data ? (
              <DeckFrame
                address={data[at]!}
                title={words.deck.version(version)}
                frameRef={(frame) => void (frames.current[at] = frame)}
                onLoad={() => ask(at)}
              />
            ) : (
              <div class={failure ? 'deck-frame' : 'deck-frame skeleton'} />
            )}
          </figure>
        ))}
      </div>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
    </>
  );
}
