/** Enough of the secret to tell links apart. The rest is not for the people who see the screen. */
const SHOWN = 6;

/** The address of a link, shortened. It opens what the audience sees. */
export function LinkAddress({ url }: { url: string }) {
  const { host, searchParams } = new URL(url);
  const token = searchParams.get('token') ?? '';
  return (
    <a class="address" href={url} target="_blank" rel="noopener noreferrer">
      <bdi translate={false}>{`${host}/share/…?token=${token.slice(0, SHOWN)}…`}</bdi>
    </a>
  );
}
