import { useState } from 'preact/hooks';
import { DeckPicture } from '../../deck-picture';
import { CommandStrip } from '../../ui/command-strip';
import { DeckFrame } from '../../ui/deck-frame';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { Time } from '../../ui/time';
import { useAction } from '../../use-action';
import { LinkAddress } from './link-address';
import { words } from '../../words/en';
import { framedVersion } from './preview';
import { SlideStrip } from './slide-strip';
import { pathOf, type Deck, type SectionProps } from './use-deck';

/** The deck itself, what is known about it, and where to go from here. */
export default function Overview({ deck }: SectionProps) {
  const { id, role } = deck;
  return (
    <>
      <div class="overview">
        <Stage deck={deck} />
        <Facts deck={deck} />
      </div>
      {deck.closed !== 'taken-down' && <SlideStrip deck={deck} />}
      {role === 'owner' && !deck.closed && <Steps id={id} />}
      <CommandStrip
        command={role === 'owner' ? `deck info ${id}` : `deck versions ${id}`}
        call={
          role === 'owner'
            ? { name: 'getSharedPresentationInfo', method: 'GET', input: { presentationId: id } }
            : { name: 'listPresentationVersions', method: 'GET', input: { presentationId: id } }
        }
      />
    </>
  );
}

/** The picture of the deck. A button on it shows the deck in its place, in a frame with an origin of its own. */
function Stage({ deck }: { deck: Deck }) {
  const [address, setAddress] = useState<string>();
  const { id, title, version, shareUrl, closed, role } = deck;
  const { show, hide, showHint, frameTitle, noLink, addLink, askOwner } = words.deck;
  const opening = useAction(async () => setAddress(await framedVersion(id, version)));
  const canShow = closed !== 'taken-down';
  return (
    <section class="stage" aria-label={words.deck.tabs['']}>
      {address && canShow ? (
        <DeckFrame address={address} title={frameTitle(title)} />
      ) : (
        <div class="poster">
          <DeckPicture deck={deck} isBare />
          {canShow && (
            <button type="button" class="button" aria-disabled={opening.isBusy} onClick={() => void opening.run()}>
              <Icon name="play" />
              {show}
            </button>
          )}
        </div>
      )}
      <FailureNotice failure={opening.failure} />
      <div class="actions">
        {canShow && address && (
          <button type="button" class="button" onClick={() => setAddress(undefined)}>
            <Icon name="close" />
            {hide}
          </button>
        )}
        {canShow && !address && <span class="quiet small">{showHint}</span>}
        {!shareUrl && (
          <span class="quiet">
            {noLink} {role === 'owner' ? <a href={pathOf(id, 'links')}>{addLink}</a> : askOwner}
          </span>
        )}
      </div>
    </section>
  );
}

function Facts({ deck }: { deck: Deck }) {
  const { id, version, totalViews, links, role, updatedAt, lastViewedAt, shareUrl, closed } = deck;
  const { facts, mainLink, mainLinkHint, views, openLinks, changed, lastViewed, neverViewed } = words.deck;
  return (
    <dl class="card facts-list" aria-label={facts}>
      {shareUrl && !closed && (
        <div>
          <dt>{mainLink}</dt>
          <dd>
            <LinkAddress url={shareUrl} />
            {mainLinkHint}
          </dd>
        </div>
      )}
      <div>
        <dt>
          <a href={pathOf(id, 'versions')}>{words.deck.version(version)}</a>
        </dt>
        <dd>
          {changed} <Time iso={updatedAt} />
        </dd>
      </div>
      <div>
        <dt>{views(totalViews)}</dt>
        <dd>
          {lastViewedAt ? (
            <>
              {lastViewed} <Time iso={lastViewedAt} />
            </>
          ) : (
            neverViewed
          )}
        </dd>
      </div>
      {role === 'owner' && (
        <div>
          <dt>{openLinks(links.filter(({ state }) => state === 'open').length)}</dt>
          <dd>
            <Closing deck={deck} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Until when the links open. */
function Closing({ deck: { closed, expiresAt } }: { deck: Deck }) {
  const { expires, expired, takenDown, noExpiry } = words.deck;
  if (closed === 'taken-down') return takenDown;
  if (!expiresAt) return noExpiry;
  return (
    <>
      {closed ? expired : expires} <Time iso={expiresAt} />
    </>
  );
}

const stepIcons = { links: 'link', mails: 'mail', versions: 'layers', marketplace: 'shop' } as const;

function Steps({ id }: { id: string }) {
  return (
    <section class="steps">
      <h2 class="visually-hidden">{words.deck.next}</h2>
      <ul>
        {Object.entries(words.deck.steps).map(([tab, [title, about]]) => (
          <li key={tab} class="card">
            <Icon name={stepIcons[tab as keyof typeof stepIcons]} />
            <h3>
              <a href={pathOf(id, tab)}>{title}</a>
            </h3>
            <p class="quiet small">{about}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
