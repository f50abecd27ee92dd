import { drawing, showSlides, slidesOf } from '../../support/pictures';
import { startWorld, world, type Account } from '../../support/world';

let owner: Account;
startWorld(async () => {
  owner = await world.anOwner();
});

test('200 pictures of noise are made in one run', async () => {
  const { presentationId } = await world.aDeck(owner);
  let seed = 1;
  const noise = drawing(() => (seed = (seed * 16_807) % 2_147_483_647) & 255, 300, 169);
  const sent = Array.from({ length: 200 }, (_, i) => ({ key: `s${i}`, bytes: noise }));
  await showSlides(owner, presentationId, 1, sent);
  expect(await slidesOf(owner, presentationId, 1)).toHaveLength(200);
});
