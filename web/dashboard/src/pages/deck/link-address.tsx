import { words } from '../../words/en';

/** Enough of an id or a secret to tell links apart. The rest is not for the people who see the screen. */
const SHOWN = 6;

/** The address of a link, shortened. It opens what the audience sees. */
export function LinkAddress({ url }: { url: string }) {
  return (
    <a class="address" href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{shortened(new URL(url))}</bdi> <span class="visually-hidden">{words.deck.newTab}</span>
    </a>
  );
}

function shortened({ host, pathname, searchParams }: URL): string {
  const [, place, id] = pathname.split('/');
  const token = searchParams.get('token') ?? '';
  return `${host}/${place}/${id?.slice(0, SHOWN)}…${token && `?token=${token.slice(0, SHOWN)}…`}`;
}
