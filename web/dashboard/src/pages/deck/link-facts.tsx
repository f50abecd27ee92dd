import type { ComponentChildren } from 'preact';
import { Time } from '../../ui/time';
import { words } from '../../words/en';
import type { Link } from './use-deck';

/** What a link shows, what became of it, and its rules, in few words. */
export function LinkFacts({ link }: { link: Link }) {
  const { versionMode, lastAccessedAt, accessCount } = link;
  const said = words.deckLinks;
  const facts: ComponentChildren[] = [
    versionMode.type === 'pinned' ? words.deck.version(versionMode.version) : said.follows,
    said.views(accessCount),
    lastAccessedAt ? <Since said={said.lastOpened} iso={lastAccessedAt} /> : said.neverOpened,
  ];
  const rules = rulesOf(link);
  return (
    <>
      <Line parts={facts} />
      {rules.length > 0 && <Line parts={rules} />}
    </>
  );
}

/** The rules of a link. A revoked one has none any more. */
function rulesOf(link: Link): ComponentChildren[] {
  const { state, expiresAt, revoked, revokedAt, hasPasscode, maxOpenings, openings = 0 } = link;
  const said = words.deckLinks;
  if (revoked) return revokedAt ? [<Since said={said.revoked} iso={revokedAt} />] : [];
  const { openingsLeft, usedUp, forReaders, notified, hasPasscode: passcode } = words.linkRules;
  const isUsedUp = state === 'used-up';
  return [
    isUsedUp && usedUp(openings),
    expiresAt && <Since said={state === 'expired' ? said.expired : said.expires} iso={expiresAt} />,
    hasPasscode && passcode,
    maxOpenings && !isUsedUp && openingsLeft(Math.max(0, maxOpenings - openings), maxOpenings),
    link.allowedEmailCount && forReaders(link.allowedEmailCount),
    link.notify === 'first' && notified,
  ].filter(Boolean);
}

const Since = ({ said, iso }: { said: string; iso: string }) => (
  <>
    {said} <Time iso={iso} />
  </>
);

const Line = ({ parts }: { parts: ComponentChildren[] }) => (
  <p class="quiet small">
    {parts.map((part, at) => (
      <>
        {at > 0 && ' · '}
        {part}
      </>
    ))}
  </p>
);
