import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { PushPanel } from '../../push/push-panel';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
import type { SectionProps } from './use-deck';

type Panel = ComponentType<Parameters<typeof PushPanel>[0]>;

/** Publishes files of this computer as the next version. The code for that is loaded when the person wants it. */
export function NewVersion({ deck: { id, version, links }, reload, made }: SectionProps) {
  const [shown, setShown] = useState<{ Panel: Panel; base: number }>();
  const opening = useAction(async () => {
    const { PushPanel: Panel } = await import('../../push/push-panel');
    // A version that somebody pushes after this moment makes a conflict.
    setShown({ Panel, base: version });
  });
  if (!shown)
    return (
      <>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => void opening.run()}>
            <Icon name="upload" />
            {words.deckVersions.publish}
          </button>
        </div>
        <FailureNotice failure={opening.failure} />
      </>
    );
  return (
    <shown.Panel
      destination={{ kind: 'deck', presentationId: id, baseVersion: shown.base }}
      personalUrls={links.filter(({ isPersonal }) => isPersonal).map(({ shareUrl }) => shareUrl)}
      onConflict={(current) => {
        made(current);
        void reload();
      }}
      onPushed={(outcome) => {
        made(outcome.version);
        setShown({ ...shown, base: outcome.version });
        void reload();
      }}
    />
  );
}
