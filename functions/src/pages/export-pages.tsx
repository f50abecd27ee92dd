import type { ComponentChildren, VNode } from 'preact';
import { raw } from '../house/attributes';
import { renderElement, renderPage } from '../house/render';
import { compact } from '../house/style';
import { name as product } from '../house/tokens.json';
import { standApart } from '../values/local-names';
import { baseStyle } from './base-style';

/** The pages in an export of an account. They are opened from a folder: no script, nothing of another host. */

const style = compact(`${baseStyle}
body { --wide: 60rem; }
main { max-width: 60rem; }
section { margin-top: 2.5rem; }
li { padding-block: .6rem; border-top: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--quiet); font-weight: 500; }
.scroll { overflow-x: auto; }
`);

interface Frame {
  title: string;
  children: ComponentChildren;
}

const page = ({ title, children }: Frame): string =>
  renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title dir="auto">{title}</title>
        <style {...raw(style)} />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>,
  );

/** A path in the export as an address. */
const link = (path: string) => path.split('/').map(encodeURIComponent).join('/');

const day = (time: Date | string | null) => (time === null ? '' : new Date(time).toISOString().slice(0, 10));
const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** A deck in the list of all. */
export interface ListedDeck {
  /** The folder of the deck in the export. */
  folder: string;
  deck: { title: string; createdAt: Date };
  newest: { entryPath: string; createdAt: Date };
  /** The number of versions. */
  count: number;
}

/** Where the entry of the newest version is, from the folder of the deck; undefined when it is in `other`. */
const placeOf = (entryPath: string) => (standApart([entryPath])[0] ? `newest/${entryPath}` : undefined);

function DeckRow({ folder, deck, newest, count: versions }: ListedDeck): VNode {
  return (
    <li>
      <a dir="auto" href={link(`${folder}/${placeOf(newest.entryPath) ?? 'index.html'}`)}>
        {deck.title}
      </a>
      <p class="quiet">
        {count(versions, 'version')}, the last of {day(newest.createdAt)}.{' '}
        <a href={link(`${folder}/index.html`)}>Versions, links and mails</a>
      </p>
    </li>
  );
}

const HERE = '{decks}';

/** The page of everything, as texts: a page of decks is in memory at a time. */
export async function* accountPage(
  { requestedAt }: { requestedAt: Date },
  decks: AsyncIterable<ListedDeck>,
): AsyncGenerator<string> {
  const [before, behind] = page({
    title: `Your account at ${product}`,
    children: (
      <>
        <h1>Your account at {product}</h1>
        <p class="quiet">
          Everything that was in the account on {day(requestedAt)}. When the export has several parts, extract all of
          them into one folder.
        </p>
        <section aria-labelledby="decks">
          <h2 id="decks">Decks</h2>
          <ul>{HERE}</ul>
        </section>
        <section aria-labelledby="data">
          <h2 id="data">Data</h2>
          <ul>
            {dataFiles.map(([path, what]) => (
              <li>
                <a href={path}>{path}</a>: {what}
              </li>
            ))}
          </ul>
        </section>
      </>
    ),
  }).split(HERE);
  yield before!;
  for await (const deck of decks) yield renderElement(<DeckRow {...deck} />);
  yield behind!;
}

const dataFiles = [
  ['account.json', 'you, the organization, keys without their secrets, sessions, webhooks'],
  ['events/', 'what happened in the last 30 days'],
  ['schema.json', 'what the fields of all JSON files mean'],
] as const;

/** The record of a deck, as its file has it. */
interface DeckFields {
  title: string;
  totalViews: number;
  versions: { version: number; title: string; message: string | null; createdAt: string; fileCount: number }[];
  links: { name: string; createdAt: string; state?: string | undefined; accessCount: number }[];
  collaborators: { email: string; status: string }[];
  listing: { slug: string; status: string } | null;
}

interface Table {
  id: string;
  heading: string;
  columns: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

function Rows({ id, heading, columns, rows }: Table) {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.map((cell) => (
                  <td dir="auto">{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The page of a deck. `entryPath` is that of its newest version. */
export function deckPage(deck: DeckFields, entryPath: string): string {
  const { title, totalViews, versions, links, collaborators, listing } = deck;
  const newest = versions.at(-1)!.version;
  const place = placeOf(entryPath);
  return page({
    title,
    children: (
      <>
        <p class="quiet">
          <a href="../../index.html">All decks</a>
        </p>
        <h1 dir="auto">{title}</h1>
        {place !== undefined && (
          <p class="choices">
            <a class="button" href={link(place)}>
              Open version {newest}
            </a>
          </p>
        )}
        <p class="quiet">
          {count(totalViews, 'view')}. <a href="deck.json">deck.json</a>, <a href="mails/">mails</a> and{' '}
          <a href="views/">views</a> have all fields.
        </p>
        {listing && (
          <p class="quiet">
            In the marketplace as {listing.slug}: {listing.status}.
          </p>
        )}
        <Rows
          id="versions"
          heading="Versions"
          columns={['Version', 'Title', 'Date', 'Files', 'Message']}
          rows={[...versions]
            .reverse()
            .map((each) => [
              <a href={`versions/${each.version}.json`}>{each.version}</a>,
              each.title,
              day(each.createdAt),
              each.fileCount,
              each.message,
            ])}
        />
        <p class="quiet">
          The newest version is the folder <code>newest</code>. An older version has in <code>versions</code> the files
          that no newer version has; its list says where each of its files is. What cannot be at its path on every
          computer is in <code>other</code>.
        </p>
        <Rows
          id="links"
          heading="Links"
          columns={['Name', 'Date', 'State', 'Views']}
          rows={links.map((each) => [each.name, day(each.createdAt), each.state, each.accessCount])}
        />
        <Rows
          id="people"
          heading="People who may change the deck"
          columns={['Address', 'State']}
          rows={collaborators.map(({ email, status }) => [email, status])}
        />
      </>
    ),
  });
}
