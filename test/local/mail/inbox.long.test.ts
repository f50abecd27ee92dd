import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Resend } from 'resend';
import { startMail, type MailServer } from '../../../local/mail';
import { describeInBrowser, launch, soon } from '../../browser/browser';
import { aFolder } from '../folders';

describeInBrowser('the inbox page', () => {
  const dataDir = aFolder();
  let server: MailServer;
  let resend: Resend;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await launch();
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    server = await startMail({ dataDir });
    resend = new Resend('re_local', { baseUrl: server.url });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  beforeEach(async () => {
    await fetch(`${server.url}/messages`, { method: 'DELETE' });
    page = await context.newPage();
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(server.url);
    await page.getByText('Live').waitFor();
  });

  afterEach(() => page.close());

  async function send(changes: object = {}): Promise<void> {
    const mail = { from: 'decks@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hi', ...changes };
    const { error } = await resend.emails.send(mail);
    expect(error).toBeNull();
  }

  test('a mail appears without a reload, and its code can be copied', async () => {
    await page.getByText('No mail yet').waitFor();
    await send({
      subject: 'Your code',
      text: 'Your code is 481920.',
      html: '<p style="color:#123456">Your code: <b>481920</b></p>',
    });
    await page.getByRole('link', { name: /Your code/ }).click();
    await soon(async () => expect(await page.locator('#digits').textContent()).toBe('481920'));
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('481920');
    await page.frameLocator('#html').getByText('481920').waitFor();
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.getByText('Your code is 481920.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('the code of a mail is its first six digits that stand alone', async () => {
    for (const [text, code] of [
      ['no digits at all', undefined],
      ['Colour #123456, price 123456.50? no: code 654321', '123456'],
      ['Order 1234567 and 12345', undefined],
      ['ref-123456 abc123456 and 777888', '777888'],
    ] as const) {
      await send({ subject: text, text });
      await page.getByRole('link', { name: text }).click();
      await page.getByRole('heading', { name: text }).waitFor();
      await soon(async () =>
        expect([text, await page.locator('#code').isVisible()]).toEqual([text, code !== undefined]),
      );
      await soon(async () => expect(await page.locator('#digits').textContent()).toBe(code ?? ''));
    }
  });

  test('the open mail does not change when another mail arrives', async () => {
    await send({ subject: 'First', html: '<p>first body</p>' });
    await page.getByRole('link', { name: /First/ }).click();
    await page.frameLocator('#html').getByText('first body').waitFor();
    await page.evaluate(`for (const node of document.querySelectorAll('#mails li, #html')) node.dataset.mark = '';`);
    await send({ subject: 'Second' });
    await page.getByRole('link', { name: /Second/ }).waitFor();
    await soon(async () => expect(await page.locator('[data-mark]').count()).toBe(2));
    await soon(async () =>
      expect(await page.locator('#mails li .what').allTextContents()).toEqual(['Second', 'First']),
    );
    await page.getByRole('heading', { name: 'First' }).waitFor();
  });

  test('scripts in a mail do not run, in the frame or opened directly, and its markup stays in the frame', async () => {
    const html =
      '<p id="p">calm</p><script>p.textContent="ran"; top.location="about:blank"</script><img src=x onerror="p.textContent=\'ran\'">';
    await send({ subject: '<img src=x onerror=alert(1)>', to: '"<b>x</b>" <ada@example.com>', html });
    await page.locator('#mails a').click();
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.frameLocator('#html').getByText('calm').waitFor();
    const address = await page.locator('#html').getAttribute('src');
    expect(page.url()).toContain(server.url);
    await page.goto(server.url + address!);
    await soon(async () => expect(await page.locator('#p').textContent()).toBe('calm'));
  });

  test('a link in a mail opens a new tab', async () => {
    await send({ html: `<html><head></head><body><a href="${server.url}/messages">go</a></body></html>` });
    await page.locator('#mails a').click();
    const opening = page.context().waitForEvent('page');
    await page.frameLocator('#html').getByText('go').click();
    const opened = await opening;
    await opened.waitForLoadState();
    expect(opened.url()).toBe(`${server.url}/messages`);
    await opened.close();
    expect(page.url()).toContain('#');
  });

  test('on a phone the list links to the mail and back, without horizontal scrolling', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const long = `${'very-long-name'.repeat(4)}@example.com`;
    await send({ subject: `Word${'x'.repeat(200)}`, to: long, text: 'y'.repeat(500) });
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    await page.locator('#mails a').click();
    await soon(async () => expect([await width(), await page.locator('#mails a').isVisible()]).toEqual([320, false]));
    await page.getByRole('link', { name: 'All mails' }).click();
    await page.locator('#mails a').waitFor();
    await page.goBack();
    await page.locator('#subject').waitFor();
    await soon(async () => expect(await page.locator('#mails a').isVisible()).toBe(false));
  });

  test('a filter shows the matching mails only; "Empty" deletes all mails, hidden ones too', async () => {
    await send({ subject: 'One', to: 'ada@example.com' });
    await send({ subject: 'Two', to: 'bob@example.com' });
    await page.getByRole('link', { name: /Two/ }).waitFor();
    await page.getByRole('searchbox').fill('BOB');
    await soon(async () => expect(await page.locator('#mails li:visible .what').allTextContents()).toEqual(['Two']));
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('Nothing matches').waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Empty inbox' }).click();
    await page.getByText('No mail yet').waitFor();
    expect(await (await fetch(`${server.url}/messages`)).json()).toEqual({ messages: [] });
  });

  test('an open page reconnects after a restart of the server', async () => {
    const { port } = server;
    await server.close();
    await page.getByText('Reconnecting').waitFor();
    server = await startMail({ dataDir, port });
    await page.getByText('Live').waitFor();
    await send({ subject: 'After all' });
    await page.getByRole('link', { name: /After all/ }).waitFor();
  });
});
