import { config } from '../config';
import { renderElement } from '../house/render';
import { name } from '../house/tokens.json';
import { xml, xmlDocument } from '../house/xml';
import { sandboxFlags } from '../policy/sandbox';
import { browseAddress } from './listing-card';

/** What a page of another site shows of a listing. */
interface Embedded {
  title: string;
  author: { authorId: string; displayName: string };
  /** The address of the deck, which has an opaque origin wherever it is framed. */
  deckUrl: string;
  /** The picture of the deck, and its size in pixels. */
  thumbnail: { url: string; width: number; height: number } | undefined;
}

interface Limits {
  maxwidth?: number | undefined;
  maxheight?: number | undefined;
}

/** The width in pixels of a frame without limits. */
const WIDTH = 960;
const RATIO = 16 / 9;

/** The largest frame of 16 : 9 within the limits. */
function frameSize({ maxwidth = WIDTH, maxheight = Infinity }: Limits): { width: number; height: number } {
  const width = Math.min(WIDTH, maxwidth, maxheight * RATIO);
  return { width: Math.max(1, Math.floor(width)), height: Math.max(1, Math.floor(width / RATIO)) };
}

/** The limits hold for the thumbnail, too. */
const fits = ({ width, height }: { width: number; height: number }, { maxwidth, maxheight }: Limits) =>
  width <= (maxwidth ?? Infinity) && height <= (maxheight ?? Infinity);

/** A thumbnail has all three fields, or none of them. */
const thumbnailFields = ({ url, width, height }: NonNullable<Embedded['thumbnail']>) => ({
  thumbnail_url: url,
  thumbnail_width: width,
  thumbnail_height: height,
});

/** The answer of oEmbed 1.0 with the type `rich`. `cache_age` is in seconds. */
function answerOf({ title, author, deckUrl, thumbnail }: Embedded, limits: Limits) {
  const { width, height } = frameSize(limits);
  const frame = (
    <iframe
      src={deckUrl}
      title={title}
      width={width}
      height={height}
      sandbox={sandboxFlags}
      allow="fullscreen"
      referrerpolicy="no-referrer"
      loading="lazy"
      frameborder={0}
    />
  );
  return {
    version: '1.0',
    type: 'rich',
    title,
    author_name: author.displayName,
    author_url: browseAddress({ author: author.authorId }),
    provider_name: name,
    provider_url: `${config.marketplaceUrl()}/`,
    cache_age: 3600,
    html: renderElement(frame),
    width,
    height,
    ...(thumbnail && fits(thumbnail, limits) && thumbnailFields(thumbnail)),
  };
}

export const oembedJson = (embedded: Embedded, limits: Limits) => JSON.stringify(answerOf(embedded, limits));

export function oembedXml(embedded: Embedded, limits: Limits): string {
  const fields = Object.entries(answerOf(embedded, limits));
  return xmlDocument(
    xml(
      'oembed',
      {},
      fields.map(([field, value]) => xml(field, {}, value)),
    ),
  );
}
