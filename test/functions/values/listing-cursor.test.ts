import fc from 'fast-check';
import { listingSorts, readListingCursor, writeListingCursor } from '../../../functions/src/values/listing-cursor';

test('a cursor is read back exactly, and only for the list that it was made for', () => {
  const listings = fc.record({
    slug: fc.constantFrom('abc', 'a-long-slug'),
    stars: fc.integer({ min: -5, max: 1_000_000 }),
    remixCount: fc.nat(),
    weekRemixCount: fc.nat(),
    createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  });
  fc.assert(
    fc.property(listings, fc.constantFrom(...listingSorts), (listing, sort) => {
      const cursor = writeListingCursor('token', sort, listing);
      const { remixCount, weekRemixCount, stars } = listing;
      const counted = { recent: [], popular: [remixCount], week: [weekRemixCount], stars: [stars] }[sort];
      expect(readListingCursor('token', sort, cursor)).toEqual([...counted, listing.createdAt, listing.slug]);
      expect(readListingCursor('other', sort, cursor)).toBeUndefined();
    }),
  );
});
