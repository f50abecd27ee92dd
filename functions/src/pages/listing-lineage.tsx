import type { VNode } from 'preact';
import { config } from '../config';
import { counted, TextLink } from '../house/listing-card';

/** A listing of the tree. */
interface Named {
  slug: string;
  title: string;
}

/** A listing that was remixed from another one. */
interface Remix extends Named {
  /** The listing from which it was remixed directly. Null when the page must not name it. */
  remixedFromSlug: string | null;
  /** The numbers of files that it changed of its source. */
  changes: Record<'added' | 'changed' | 'removed', number> | null;
}

interface Family extends Named {
  /** Nearest first. */
  lineage: readonly Named[];
  /** Remixes of the listing, and remixes of remixes. */
  remixes: readonly Remix[];
}

/** The nearest ancestors that are shown. The earlier ones are behind a summary. */
const NEAREST = 4;

const NamedLink = ({ slug, title }: Named) => (
  <TextLink href={`${config.marketplaceUrl()}/marketplace/${slug}`}>{title}</TextLink>
);

/** "changed 3 files, added 1": the noun stands behind the first number. */
function changesOf({ changed, added, removed }: NonNullable<Remix['changes']>): string {
  const parts = Object.entries({ changed, added, removed }).filter(([, files]) => files > 0);
  const texts = parts.map(([what, files], i) => `${what} ${i === 0 ? counted(files, 'file', 'files') : files}`);
  return texts.join(', ') || 'no file changed';
}

/**
 * The family of a listing as a tree of nested lists: its ancestors, the earliest first, the listing itself, and its
 * remixes below it. Null when it has neither. A remix whose source is not among `remixes` stands below the listing.
 */
export function Lineage({ slug, title, lineage, remixes }: Family) {
  if (lineage.length === 0 && remixes.length === 0) return null;
  const shown = new Set(remixes.map((remix) => remix.slug));
  const below = (parent: string) => {
    const children = remixes.filter(({ remixedFromSlug: from }) =>
      parent === slug ? from === null || !shown.has(from) : from === parent,
    );
    return children.length > 0 && <ul>{children.map(itemOf)}</ul>;
  };
  const itemOf = (remix: Remix): VNode => (
    <li>
      <NamedLink {...remix} />
      {remix.changes && <small> {changesOf(remix.changes)}</small>}
      {below(remix.slug)}
    </li>
  );
  const own = (
    <li>
      <strong aria-current="page">
        <bdi lang="">{title}</bdi>
      </strong>
      {below(slug)}
    </li>
  );
  // The nearest ancestor is the innermost list: each one is put around those below it.
  const tree = lineage.slice(0, NEAREST).reduce(
    (inner, ancestor) => (
      <li>
        <NamedLink {...ancestor} />
        <ul>{inner}</ul>
      </li>
    ),
    own,
  );
  return (
    <section aria-labelledby="lineage">
      <h2 id="lineage">Lineage</h2>
      <Earlier ancestors={lineage.slice(NEAREST)} />
      <ul class="tree">{tree}</ul>
    </section>
  );
}

const Earlier = ({ ancestors }: { ancestors: readonly Named[] }) =>
  ancestors.length > 0 && (
    <details>
      <summary>{ancestors.length} earlier</summary>
      <ol class="earlier">
        {ancestors.map((each) => (
          <li>
            <NamedLink {...each} />
          </li>
        ))}
      </ol>
    </details>
  );
