import { useEffect, useId, useState } from 'preact/hooks';
import { setQuery } from '../../../navigation';
import { Field } from '../../../ui/field';
import { words } from '../../../words/en';
import type { Deck } from '../use-deck';
import { isRange, type Choice } from './choice';

const keep = (changes: Partial<Record<'days' | 'from' | 'to' | 'link' | 'version', string | undefined>>) =>
  setQuery(changes);

/** Time span, and a link or a version. They stand in the address of the page. */
export function Filters({ deck, choice }: { deck: Deck; choice: Choice }) {
  const { filter, span, spans } = words.insights;
  const [isOpen, setOpen] = useState(choice.span === 'own');
  const choose = (days: string) => {
    setOpen(days === 'own');
    if (days !== 'own') keep({ days: days === '30' ? undefined : days, from: undefined, to: undefined });
  };
  return (
    <div class="filters" role="group" aria-label={filter}>
      <div class="shows" role="group" aria-label={span}>
        {Object.entries(spans).map(([days, text]) => (
          <button
            key={days}
            type="button"
            aria-pressed={isOpen ? days === 'own' : choice.span === days}
            onClick={() => choose(days)}
          >
            {text}
          </button>
        ))}
      </div>
      <Source deck={deck} choice={choice} />
      {isOpen && <OwnSpan choice={choice} />}
    </div>
  );
}

/** All visits, those through one link, or those of one version. */
function Source({ deck: { links, version }, choice }: { deck: Deck; choice: Choice }) {
  const id = useId();
  const { of, ofAll, links: ofLinks, versions } = words.insights;
  const change = (value: string) => {
    const [kind, chosen] = value.split(':');
    keep({ link: kind === 'link' ? chosen : undefined, version: kind === 'version' ? chosen : undefined });
  };
  const value = choice.tokenId ? `link:${choice.tokenId}` : choice.version ? `version:${choice.version}` : '';
  return (
    <div class="source">
      <label for={id} class="visually-hidden">
        {of}
      </label>
      <select id={id} value={value} onChange={(event) => change(event.currentTarget.value)}>
        <option value="">{ofAll}</option>
        <optgroup label={ofLinks}>
          {links.map(({ tokenId, name }) => (
            <option key={tokenId} value={`link:${tokenId}`}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label={versions}>
          {Array.from({ length: version }, (_, at) => version - at).map((each) => (
            <option key={each} value={`version:${each}`}>
              {words.deck.version(each)}
            </option>
          ))}
        </optgroup>
      </select>
    </div>
  );
}

/** The first and the last day. */
function OwnSpan({ choice }: { choice: Choice }) {
  const [from, setFrom] = useState(choice.from);
  const [to, setTo] = useState(choice.to);
  const [isTried, setTried] = useState(false);
  useEffect(() => {
    setFrom(choice.from);
    setTo(choice.to);
  }, [choice.from, choice.to]);
  const isWrong = isTried && !isRange(from, to);
  const said = words.insights;
  return (
    <form
      class="own-span"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (isRange(from, to)) keep({ days: undefined, from, to });
      }}
    >
      <Field label={said.from} type="date" value={from} onValue={setFrom} isInvalid={isWrong} required />
      <Field label={said.to} type="date" value={to} onValue={setTo} isInvalid={isWrong} required />
      <button type="submit" class="button">
        {said.apply}
      </button>
      {isWrong && (
        <p class="error" role="alert">
          {said.badSpan}
        </p>
      )}
    </form>
  );
}
