import { describeInBrowser } from './browser';
import {
  aScene,
  alert,
  button,
  dialog,
  field,
  info,
  intercept,
  links,
  lose,
  proveActions,
  stage,
  toast,
} from './proof-actions';

proveActions(['a link is added', 'a deck is published']);

describeInBrowser('a failed action', () => {
  test('the same input is a new wish after a success, and another input after a failure', async () => {
    const scene = await aScene();
    await stage.enter(scene.owner, `/decks/${scene.id}/links`);
    const add = async (name: string) => {
      await field('Name').fill(name);
      await button('Add a link').click();
    };
    const lost = await intercept('addPresentationToken', lose);
    await add('Board');
    await alert().waitFor();
    await lost.end();
    await add('Press');
    await toast(/Press/).waitFor();
    await add('Board');
    await toast(/Board/).waitFor();
    expect([await links(scene, 'Board'), await links(scene, 'Press')]).toEqual([2, 1]);
  });

  test('an answer that the connection loses is asked for again: a restored version makes no conflict with itself', async () => {
    const scene = await aScene();
    await stage.enter(scene.owner, `/decks/${scene.id}/versions`);
    let lost = 0;
    const { calls } = await intercept('restorePresentationVersion', async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await button('Actions for version 1').click();
    await stage.page.getByRole('menuitem', { name: 'Restore' }).click();
    await dialog().getByRole('button', { name: 'Restore' }).click();
    await toast('Version 1 is restored as version 3.').waitFor();
    expect([new Set(calls).size, calls.length, (await info(scene)).version]).toEqual([1, 2, 3]);
  });

  test('a lost connection is said, what was typed stays, and the work is done when it is back', async () => {
    const scene = await aScene();
    await stage.enter(scene.owner, `/decks/${scene.id}/links`);
    await field('Name').fill('Board');
    await stage.viewer.context.setOffline(true);
    await button('Add a link').click();
    await stage.page.getByText('This device is offline.').waitFor();
    expect(await field('Name').inputValue()).toBe('Board');
    await stage.viewer.context.setOffline(false);
    await toast(/Board/).waitFor();
    expect(await stage.page.getByText('This device is offline.').isVisible()).toBe(false);
    expect(await links(scene, 'Board')).toBe(1);
  });
});
