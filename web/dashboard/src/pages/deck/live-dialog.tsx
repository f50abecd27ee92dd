import { useEffect, useId, useState } from 'preact/hooks';
import { service, type Answer } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { CopyButton } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { QrPicture } from '../../ui/qr-picture';
import { Skeleton } from '../../ui/skeleton';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { liveWords as said } from '../../words/live';
import { LinkAddress } from './link-address';
import type { Deck } from './use-deck';

type Session = NonNullable<Answer<'getLiveSession'>['live']>;
type Started = Answer<'startLiveSession'>;

/** How long after an answer the page asks again where the session is, while people see it. */
const LOOK_MS = 3_000;

/** Starts a live session, or finds the one that runs, and shows where it is. */
export function LiveDialog({ deck, onClose }: { deck: Deck; onClose: () => void }) {
  const { id } = deck;
  const { data, failure, isLoading, reload } = useLoaded(
    (signal) => service().get('getLiveSession', { presentationId: id }, { signal }),
    [id],
  );
  const [started, setStarted] = useState<Started>();
  const starting = useAction(async (tokenId: string) => {
    const input = { presentationId: id, ...(tokenId && { tokenId }) };
    setStarted(await service().post('startLiveSession', input));
    await reload();
  });
  const ending = useAction(async () => {
    await service().post('endLiveSession', { presentationId: id });
    setStarted(undefined);
    toast(said.ended);
    await reload();
  });
  const live = data?.live;
  useEffect(() => {
    if (isLoading) return;
    const asking = setInterval(() => void (document.hidden || reload({ isQuiet: true })), LOOK_MS);
    return () => clearInterval(asking);
  }, [isLoading, reload]);
  // A session that runs already. Another start answers its addresses.
  const found = live && live.liveId !== started?.liveId ? live : undefined;
  const join = () => void (found && starting.run(found.tokenId));
  useEffect(join, [live?.liveId]);
  const failed = starting.failure ?? ending.failure;
  return (
    <Dialog title={said.title} onClose={onClose}>
      {data && !live && (
        <Start deck={deck} isBusy={starting.isBusy} onStart={(tokenId) => void starting.run(tokenId)} />
      )}
      {live && started && !found && <Running live={live} started={started} />}
      {(!data || found) && !failure && !failed && <Skeleton label={said.loading} lines={3} />}
      <FailureNotice failure={failed} onRetry={found && join} />
      <FailureNotice failure={!failed && failure} onRetry={() => void reload()} />
      {live && (
        <div class="actions end">
          <button type="button" class="button danger" aria-disabled={ending.isBusy} onClick={() => void ending.run()}>
            {said.end}
          </button>
        </div>
      )}
      <CommandStrip
        command={`deck live ${id}`}
        call={{ name: 'startLiveSession', method: 'POST', input: { presentationId: id } }}
      />
    </Dialog>
  );
}

interface StartProps {
  deck: Deck;
  isBusy: boolean;
  onStart: (tokenId: string) => void;
}

function Start({ deck: { links, shareUrl }, isBusy, onStart }: StartProps) {
  const field = useId();
  const open = links.filter(({ state, isPersonal }) => state === 'open' && !isPersonal);
  const [tokenId, setTokenId] = useState((open.find((link) => link.shareUrl === shareUrl) ?? open[0])?.tokenId ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onStart(tokenId);
      }}
    >
      <p>{said.about}</p>
      <div class="field">
        <label for={field}>{said.link}</label>
        <select id={field} dir="auto" value={tokenId} onChange={(event) => setTokenId(event.currentTarget.value)}>
          {open.length === 0 && <option value="">{said.newLink}</option>}
          {open.map((link) => (
            <option key={link.tokenId} value={link.tokenId}>
              {link.name}
            </option>
          ))}
        </select>
      </div>
      <div class="actions end">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          <Icon name="play" />
          {said.start}
        </button>
      </div>
    </form>
  );
}

function Running({ live, started: { presenterUrl, audienceUrl } }: { live: Session; started: Started }) {
  const { slide, hasPresenter, followers } = live;
  const place = slide ? said.at(slide.index, slide.count, slide.title) : said.waiting;
  return (
    <div class="live">
      <p role="status">
        <strong>{hasPresenter ? place : said.alone}</strong> {said.follow(followers)}
      </p>
      <a class="button primary" href={presenterUrl} target="_blank" rel="noopener noreferrer">
        <Icon name="open" />
        {said.open} <span class="visually-hidden">{words.deck.newTab}</span>
      </a>
      <p class="quiet small">{said.openWhy}</p>
      <h3>{said.audience}</h3>
      <QrPicture text={audienceUrl} label={said.audienceQr} />
      <div class="actions">
        <LinkAddress url={audienceUrl} />
        <CopyButton text={audienceUrl} label={words.deck.copyLink} said={words.shell.linkCopied} />
      </div>
      <details class="more-fields">
        <summary>{said.phone}</summary>
        <div class="inner">
          <QrPicture text={presenterUrl} label={said.phoneQr} />
          <p class="quiet small">{said.phoneWhy}</p>
        </div>
      </details>
    </div>
  );
}
