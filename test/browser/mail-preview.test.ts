import type { Frame } from 'playwright-core';
import { page } from '../support/world';
import { describeInBrowser, until } from './browser';
import { DashboardStage } from './dashboard';

const stage = new DashboardStage();
const HOSTILE = '<img src=x onerror="hit=1"><script>hit=2</script> שלום </p></table>';

const button = (name: string) => stage.page.getByRole('button', { name });

/** Opens the preview of a mail with this message, and answers the frame that shows it. */
async function preview(message: string): Promise<Frame> {
  const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page()], 'Quarterly results');
  await stage.enter(stage.owner, `/decks/${presentationId}/mails`);
  await stage.page.getByLabel('Message (optional)').fill(message);
  await button('Preview').click();
  await stage.page.frameLocator('.mail iframe').getByRole('link', { name: 'Open the presentation' }).waitFor();
  const frame = stage.page.frames().find((each) => each.url().endsWith('/mail-frame'))!;
  // The dialog has the height of the mail when the frame has told it.
  await until(frame, 'innerHeight === Math.ceil(document.documentElement.getBoundingClientRect().height)');
  return frame;
}

describeInBrowser('the preview of a mail', () => {
  test('shows the HTML of the mail as high as it is, and a message with markup as text', async () => {
    const frame = await preview(HOSTILE);
    expect(await frame.evaluate('document.querySelector("p.edge").textContent')).toBe(HOSTILE);
    expect(await frame.evaluate('[origin, typeof hit, document.images.length, document.scripts.length]')).toEqual([
      'null',
      'undefined',
      0,
      0,
    ]);
    expect(await stage.page.evaluate('typeof hit')).toBe('undefined');
    const height = await frame.evaluate<number>('innerHeight');
    const longer = await preview('A line.\n'.repeat(80));
    expect(await longer.evaluate<number>('innerHeight')).toBeGreaterThan(height + 1000);
    await stage.expectTidy();
  });

  test('has links that open nothing, by mouse and by keyboard, and the text as its other form', async () => {
    const frame = await preview('Please look.');
    const addresses = () => [stage.page.url(), ...stage.page.frames().map((each) => each.url())];
    const before = addresses();
    const link = stage.page.frameLocator('.mail iframe').getByRole('link', { name: 'Open the presentation' });
    await link.click();
    await link.click({ button: 'middle' });
    await link.click({ modifiers: ['ControlOrMeta'] });
    await link.press('Enter');
    await frame.evaluate(`document.querySelector('a').click()`);
    expect([addresses(), stage.viewer.context.pages().length]).toEqual([before, 1]);

    await button('As text').click();
    await stage.page.locator('.mail .text').getByText('Open the presentation:').waitFor();
    await button('As a mail').click();
    await link.waitFor();
    expect(stage.troubles).toEqual([]);
  });

  test('runs no script and loads nothing, whatever the HTML is, and stands in no other site', async () => {
    const frame = await preview('Please look.');
    const evil =
      '<style>p { color: rgb(1, 2, 3) }</style><p id="evil">Evil</p><script>top.name = "hit"</script>' +
      '<img src="https://example.com/x.png" onerror="hit = 1"><iframe src="https://example.com/"></iframe>' +
      '<meta http-equiv="refresh" content="0; url=https://example.com/"><form action="https://example.com/"><button>Go</button></form>';
    await stage.page.evaluate(
      `document.querySelector('.mail iframe').contentWindow.postMessage(${JSON.stringify(evil)}, '*')`,
    );
    await until(frame, '!!document.getElementById("evil")');
    await until(frame, 'innerHeight === Math.ceil(document.documentElement.getBoundingClientRect().height)');
    expect(await frame.evaluate('[typeof hit, getComputedStyle(document.getElementById("evil")).color]')).toEqual([
      'undefined',
      'rgb(1, 2, 3)',
    ]);
    expect(await stage.page.evaluate('name')).toBe('');
    const asked = stage.viewer.answers.filter(({ url }) => url.startsWith('https://example.com'));
    const address = `${stage.world.cloud.hostingUrl}/mail-frame`;
    expect([asked, frame.url()]).toEqual([[], address]);
    const answer = await fetch(address);
    expect(answer.headers.get('content-security-policy')).toBe("frame-ancestors 'self'; sandbox allow-scripts");
  });
});
