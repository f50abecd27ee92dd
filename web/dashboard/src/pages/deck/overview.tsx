import { useState } from 'preact/hooks';
import { serviceUrl } from '../../addresses';
import { DeckPicture } from '../../deck-picture';
import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Icon } from '../../ui/icon';
import { Time } from '../../ui/time';
import { useAction } from '../../use-action';
import { words } from '../../words/en';
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
      {role === 'owner' && <Steps id={id} />}
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

/** The picture of the deck. A button shows the deck in its place, in a frame with an origin of its own. */
function Stage({ deck }: { deck: Deck }) {
  const [address, setAddress] = useState<string>();
  const { id, title, shareUrl, closed, role } = deck;
  const { show, hide, showHint, frameTitle, noLink, addLink, askOwner } = words.deck;
  const opening = useAction(async () => setAddress(await frameAddress(id, shareUrl!)));
  const canShow = shareUrl !== null && !closed;
  return (
    <section class="stage" aria-label={words.deck.tabs['']}>
      {address && canShow ? (
        <iframe
          src={address}
          title={frameTitle(title)}
          sandbox="allow-scripts allow-forms allow-popups allow-modals allow-pointer-lock allow-downloads"
          allow="fullscreen; autoplay"
          referrerpolicy="no-referrer"
        />
      ) : (
        <DeckPicture deck={deck} />
      )}
      <FailureNotice failure={opening.failure} />
      <div class="actions">
        {canShow && (
          <button
            type="button"
            class="button"
            aria-disabled={opening.isBusy}
            onClick={() => (address ? setAddress(undefined) : void opening.run())}
          >
            <Icon name={address ? 'close' : 'eye'} />
            {address ? hide : show}
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

/** The address at which the page of a link frames the deck: the page itself refuses to be in a frame. */
async function frameAddress(presentationId: string, shareUrl: string): Promise<string> {
  const { entryPath } = await service().get('getPresentationVersion', { presentationId, version: 'latest' });
  const token = new URL(shareUrl).searchParams.get('token')!;
  const entry = entryPath.split('/').map(encodeURIComponent).join('/');
  return `${serviceUrl}/getSharedPresentation/${presentationId}/_f/${token}/${entry}`;
}

function Facts({ deck: { version, totalViews, links, role, updatedAt, lastViewedAt, expiresAt } }: { deck: Deck }) {
  const { facts, views, openLinks, changed, lastViewed, neverViewed, expires } = words.deck;
  return (
    <dl class="card facts-list" aria-label={facts}>
      <div>
        <dt>{words.deck.version(version)}</dt>
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
          <dt>{openLinks(links.filter(({ revoked }) => !revoked).length)}</dt>
          <dd>
            {expiresAt ? (
              <>
                {expires} <Time iso={expiresAt} />
              </>
            ) : (
              words.deck.noExpiry
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

function Steps({ id }: { id: string }) {
  return (
    <section class="steps">
      <h2 class="visually-hidden">{words.deck.next}</h2>
      <ul>
        {Object.entries(words.deck.steps).map(([tab, [title, about]]) => (
          <li key={tab} class="card">
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
