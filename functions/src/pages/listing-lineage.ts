import { config } from '../config';
import { markup, type Markup } from '../values/markup';

/** A listing of the tree. */
interface Named {
  slug: string;
  title: string;
}

/** A listing that was remixed from another one. */
interface Remix extends Named {
  /** The listing from which it was remixed directly. Null when the page must not name it. */
  remixedFromSlug: string | null;
}

interface Family extends Named {
  /** Nearest first. */
  lineage: readonly Named[];
  /** Remixes of the listing, and remixes of remixes. */
  remixes: readonly Remix[];
}

/** The nearest ancestors that are shown. The earlier ones are behind a summary. */
const NEAREST = 4;

const link = ({ slug, title }: Named) =>
  markup`<a href="${config.marketplaceUrl()}/marketplace/${slug}"><bdi lang="">${title}</bdi></a>`;

/**
 * The family of a listing as a tree of nested lists: its ancestors, the earliest first, the listing itself, and its
 * remixes below it. False when it has neither. A remix whose source is not among `remixes` stands below the listing.
 */
export function lineageTree({ slug, title, lineage, remixes }: Family): Markup | false {
  if (lineage.length === 0 && remixes.length === 0) return false;
  const shown = new Set(remixes.map((remix) => remix.slug));
  const below = (parent: string): Markup | false => {
    const children = remixes.filter(({ remixedFromSlug: from }) =>
      parent === slug ? from === null || !shown.has(from) : from === parent,
    );
    return (
      children.length > 0 &&
      markup`<ul>${children.map((each) => markup`<li>${link(each)}${below(each.slug)}</li>`)}</ul>`
    );
  };
  const own = markup`<li><strong aria-current="page"><bdi lang="">${title}</bdi></strong>${below(slug)}</li>`;
  // The nearest ancestor is the innermost list: each one is put around those below it.
  const tree = lineage
    .slice(0, NEAREST)
    .reduce((inner, ancestor) => markup`<li>${link(ancestor)}<ul>${inner}</ul></li>`, own);
  const earlier = lineage.slice(NEAREST);
  return markup`<section aria-labelledby="lineage">
<h2 id="lineage">Lineage</h2>
${
  earlier.length > 0 &&
  markup`<details><summary>${earlier.length} earlier</summary><ol class="earlier">${earlier.map((each) => markup`<li>${link(each)}</li>`)}</ol></details>\n`
}<ul class="tree">${tree}</ul>
</section>`;
}
