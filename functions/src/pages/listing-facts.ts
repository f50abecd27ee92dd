import type { ShownVersion } from '../policy/listing-versions';
import { markup, type Markup } from '../values/markup';
import { KB, MB } from '../values/units';
import { authorLink, wordLinks, type Card } from './listing-card';

/** A file of the listed version. */
interface ListedFile {
  path: string;
  size: number;
  /** The address of its bytes. */
  url: string;
}

interface Facts {
  owner: { displayName: string; organizationName: string };
  author: Card['author'];
  tags: readonly string[];
  techStack: readonly string[];
  createdAt: string;
  updatedAt: string;
  /** The versions that the listing has shown, the present one first. */
  versions: readonly ShownVersion[];
  files: { shown: readonly ListedFile[]; fileCount: number; totalBytes: number };
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

const day = (time: string) => markup`<time datetime="${time.slice(0, 10)}">${date.format(new Date(time))}</time>`;

/** A size in bytes for people. */
function sizeText(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  return bytes < MB ? `${number.format(bytes / KB)} KB` : `${number.format(bytes / MB)} MB`;
}

/** What the page says about a listing: its publisher, its words, its times. */
export function listingFacts({ owner, author, tags, techStack, createdAt, updatedAt }: Facts): Markup {
  const row = (name: string, value: Markup | string | false) => value && markup`<dt>${name}</dt><dd>${value}</dd>\n`;
  return markup`<section aria-labelledby="about">
<h2 id="about">About</h2>
<dl>
${row('By', markup`${author ? authorLink(author) : markup`<bdi lang="">${owner.displayName}</bdi>`}, <bdi lang="">${owner.organizationName}</bdi>`)}
${row('Published', day(createdAt))}
${day(createdAt).text !== day(updatedAt).text && row('Changed', day(updatedAt))}
${row('Tags', wordLinks('tag', tags))}
${row('Made with', wordLinks('stack', techStack))}
</dl>
</section>`;
}

/** The versions that the listing has shown, the present one first. */
export function versionList({ versions }: Facts): Markup {
  const rows = versions.map(({ version: each, since }, i) => {
    const next = versions[i - 1]?.since;
    const begin = since && markup` ${next ? 'from' : 'since'} ${day(since.toISOString())}`;
    const end = next ? markup` to ${day(next.toISOString())}` : i === 0 && ', shown now';
    return markup`<li>Version ${each}${begin}${end}</li>\n`;
  });
  return markup`<section aria-labelledby="versions">
<h2 id="versions">Versions</h2>
<ol class="rows" reversed>
${rows}</ol>
</section>`;
}

/** Files of the version. Those that are not shown are counted. */
export function fileList({ files: { shown, fileCount, totalBytes } }: Facts): Markup {
  const isWhole = shown.length === fileCount;
  const total = `${number.format(fileCount)} ${fileCount === 1 ? 'file' : 'files'}, ${sizeText(totalBytes)}`;
  const rows = shown.map(
    ({ path, size, url }) =>
      markup`<li><a href="${url}"><bdi translate="no">${path}</bdi></a><span>${sizeText(size)}</span></li>\n`,
  );
  return markup`<section aria-labelledby="files">
<h2 id="files">Files</h2>
<details>
<summary>${total}</summary>
<ul class="rows files">
${rows}</ul>
${!isWhole && markup`<p class="quiet">${shown.length} of ${number.format(fileCount)} files are shown.</p>\n`}</details>
</section>`;
}
