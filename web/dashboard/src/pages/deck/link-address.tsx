/** Enough of the secret to tell links apart. The rest is not for the people who see the screen. */
const SHOWN = 6;

/** The address of a link, shortened. It opens what the audience sees. */
export function LinkAddress({ url }: { url: string }) {
  const { host, pathname, searchParams } = new URL(url);
  const token = searchParams.get('token');
  const [start, secret] = token === null ? ['s/', pathname.slice('/s/'.length)] : ['share/…?token=', token];
  return (
    <a class="address" href={url} target="_blank" rel="noopener noreferrer">
      <bdi translate={false}>{`${host}/${start}${secret.slice(0, SHOWN)}…`}</bdi>
    </a>
  );
}
