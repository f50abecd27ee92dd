import type { ComponentChildren } from 'preact';
import { untranslated } from '../house/attributes';
import type { ShownVersion } from '../policy/listing-versions';
import { KB, MB } from '../values/units';
import { AuthorLink, FilterLinks, type Card } from './listing-card';

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

const dayOf = (time: string | Date) => date.format(new Date(time));

const Day = ({ time }: { time: string }) => <time datetime={time.slice(0, 10)}>{dayOf(time)}</time>;

/** A size in bytes for people. */
function sizeText(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  return bytes < MB ? `${number.format(bytes / KB)} KB` : `${number.format(bytes / MB)} MB`;
}

const Row = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

/** What the page says about a listing: its publisher, its words, its times. */
export const ListingFacts = ({ owner, author, tags, techStack, createdAt, updatedAt }: Facts) => (
  <section aria-labelledby="about">
    <h2 id="about">About</h2>
    <dl>
      <Row name="By">
        {author ? <AuthorLink {...author} /> : <bdi lang="">{owner.displayName}</bdi>},{' '}
        <bdi lang="">{owner.organizationName}</bdi>
      </Row>
      <Row name="Published">
        <Day time={createdAt} />
      </Row>
      {dayOf(createdAt) !== dayOf(updatedAt) && (
        <Row name="Changed">
          <Day time={updatedAt} />
        </Row>
      )}
      {tags.length > 0 && (
        <Row name="Tags">
          <FilterLinks filter="tag" words={tags} />
        </Row>
      )}
      {techStack.length > 0 && (
        <Row name="Made with">
          <FilterLinks filter="stack" words={techStack} />
        </Row>
      )}
    </dl>
  </section>
);

/** The versions that the listing has shown, the present one first. */
export function VersionList({ versions }: Facts) {
  const items = versions.map(({ version, since }, i) => {
    const next = versions[i - 1]?.since;
    return (
      <li>
        Version {version}
        {since && (
          <>
            {next ? ' from ' : ' since '}
            <Day time={since.toISOString()} />
          </>
        )}
        {next && (
          <>
            {' to '}
            <Day time={next.toISOString()} />
          </>
        )}
        {!next && i === 0 && ', shown now'}
      </li>
    );
  });
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <ol class="rows" reversed>
        {items}
      </ol>
    </section>
  );
}

/** Files of the version. Those that are not shown are counted. */
export const FileList = ({ files: { shown, fileCount, totalBytes } }: Facts) => (
  <section aria-labelledby="files">
    <h2 id="files">Files</h2>
    <details>
      <summary>
        {number.format(fileCount)} {fileCount === 1 ? 'file' : 'files'}, {sizeText(totalBytes)}
      </summary>
      <ul class="rows files">
        {shown.map(({ path, size, url }) => (
          <li>
            <a href={url}>
              <bdi {...untranslated}>{path}</bdi>
            </a>
            <span>{sizeText(size)}</span>
          </li>
        ))}
      </ul>
      {shown.length !== fileCount && (
        <p class="quiet">
          {shown.length} of {number.format(fileCount)} files are shown.
        </p>
      )}
    </details>
  </section>
);
