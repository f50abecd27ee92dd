import { useState } from 'preact/hooks';
import { formatDuration } from '../../../format';
import { factsOf, Reader } from '../../../insights/view-facts';
import { BarTable } from '../../../ui/chart';
import { Time } from '../../../ui/time';
import { words } from '../../../words/en';
import type { View } from './choice';
import { slideName } from './slide-name';

/** A visit: who, when, for how long and how far, and on demand the slides. */
export function ViewRow({ view, current }: { view: View; current: number }) {
  const { email, emailIsProven, tokenName, version, startedAt, device, slides } = view;
  const said = words.insights;
  const facts = [
    ...factsOf(view),
    said.devices[device],
    ...(email !== null && email !== tokenName ? [said.through(tokenName)] : []),
    ...(version === current ? [] : [said.version(version)]),
  ];
  return (
    <li class="row">
      <div class="about">
        <h3>
          <Reader view={view} />
          {email !== null && (
            <>
              {' '}
              <span class="label" title={emailIsProven ? said.provenHint : said.mailedToHint}>
                {emailIsProven ? said.proven : said.mailedTo}
              </span>
            </>
          )}
        </h3>
        <p class="quiet small">
          <Time iso={startedAt} /> · {facts.join(' · ')}
        </p>
        {slides.length > 0 && <Path slides={slides} />}
      </div>
    </li>
  );
}

/** The slides that the reader saw, in the order of the deck. */
function Path({ slides }: Pick<View, 'slides'>) {
  const [isOpen, setOpen] = useState(false);
  const { path, pathOf, slide, time, shown, times } = words.insights;
  const rows = slides.map((each) => ({ ...each, name: slideName(each) }));
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">{pathOf(slides.length)}</summary>
      {isOpen && (
        <BarTable
          caption={path}
          name={slide}
          nameOf={({ name }) => name}
          rows={rows}
          keyOf={({ key }) => key}
          columns={[
            { title: time, value: ({ seconds }) => seconds, text: ({ seconds }) => formatDuration(seconds) },
            { title: shown, text: ({ visits }) => times(visits) },
          ]}
        />
      )}
    </details>
  );
}
