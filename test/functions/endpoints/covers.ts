import { slide, type SentSlide } from '../../support/pictures';
import { requestLocally } from '../../support/deck-origin';
import { world } from '../../support/world';

/** The pages and pictures of listings with slides. */

export const slides = (count: number): SentSlide[] =>
  Array.from({ length: count }, (_, i) => ({
    key: `s${i}`,
    bytes: slide(i * 20 + 10),
    title: `Part ${i + 1} & “more”`,
  }));
export const textOf = async (url: string) => (await requestLocally(url)).text;
export const pagePath = (slug: string) => `${world.cloud.marketplaceUrl}/marketplace/${slug}`;
export const listingPicture = (slug: string, n: number | string) =>
  fetch(`${world.cloud.baseUrl}/getListingPicture/${slug}/${n}`);
