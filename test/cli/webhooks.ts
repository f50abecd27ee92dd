import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { startReceiver, type Receiver } from '../support/receiver';
import { aDeck, addLink, computer, done, refused, shown, testbed } from './testbed';

/** `deck webhooks`: events that go to a program. */
export function proveWebhooks(): void {
  describe('deck webhooks', () => {
    let receiver: Receiver;
    beforeEach(async () => {
      receiver = await startReceiver();
    });
    afterEach(() => receiver.close());

    type Added = { webhook: { webhookId: string; events: string[] }; secret: string };
    const add = (...options: string[]) => done<Added>('webhooks', 'add', receiver.url, ...options);

    test('a webhook is added, tried, looked at, rotated, disabled and removed', async () => {
      const { webhook, secret } = await add('--events', 'link.created, view.ended', '--description', 'CRM');
      const { webhookId } = webhook;
      expect(webhook.events).toEqual(['link.created', 'view.ended']);
      const tested = await done<{ delivery: { deliveryId: string } }>('webhooks', 'test', receiver.url);
      expect(tested).toMatchObject({ delivery: { type: 'test', status: 'delivered', lastStatus: 204 } });
      const [got] = receiver.received;
      expect(new Webhook(secret).verify(got!.body, got!.headers as Record<string, string>)).toMatchObject({
        type: 'test',
      });
      receiver.answer = (res) => void res.writeHead(500).end('not\nnow');
      expect(await shown('webhooks', 'test', webhookId)).toContain('Status 500: not now');
      const listed = await done<{ deliveries: object[] }>('webhooks', 'deliveries', webhookId);
      expect(listed.deliveries).toMatchObject([{ status: 'failed' }, { status: 'delivered' }]);
      expect(await shown('webhooks')).toMatch(/link\.created, view\.ended +active\n1 of 10 webhooks/);
      const rotated = await done<{ secret: string }>('webhooks', 'rotate', webhookId);
      expect(rotated.secret).not.toBe(secret);
      await done('webhooks', 'disable', webhookId);
      expect(await shown('webhooks')).toContain('disabled');
      await done('webhooks', 'enable', webhookId);
      await done('webhooks', 'remove', receiver.url);
      expect(await refused('webhooks', 'test', webhookId)).toMatchObject({ code: 'no-such-webhook' });
    });

    test('what the service refuses is said in words of the command', async () => {
      expect(await refused('webhooks', 'add', 'ftp://example.com')).toMatchObject({ code: 'wrong-address' });
      expect(await refused('webhooks', 'add', receiver.url, '--events', 'link.open')).toMatchObject({
        code: 'wrong-event',
      });
    });

    test('listen shows the events from now on, and forwards them with signatures', async () => {
      const { folder } = await aDeck();
      // After the question where the feed ends, and before the first one for events.
      // A later event waits for the next poll.
      testbed.proxy.before('listEvents', async (number) => {
        if (number !== 2) return;
        await addLink(folder, 'board');
        // The feed answers what is older than an attempt of the database.
        await testbed.later(60);
      });
      const { process: child } = computer.start([
        'webhooks',
        'listen',
        '--forward',
        receiver.url,
        '--events',
        'link.created',
      ]);
      let out = '';
      child.stdout!.on('data', (text: Buffer) => (out += text.toString()));
      const saying = async (text: string) => {
        while (!out.includes(text)) await once(child.stdout!, 'data');
      };
      await saying('Waiting for events');
      await saying('link.created');
      child.kill('SIGINT');
      await once(child, 'close');
      const [got, ...more] = receiver.received;
      const secret = /whsec_\S+/.exec(out)![0];
      const event = new Webhook(secret).verify(got!.body, got!.headers as Record<string, string>);
      expect([event, more]).toMatchObject([{ type: 'link.created', data: { link: { name: 'board' } } }, []]);
      expect(out).toMatch(/link\.created {2}204/);
    });
  });
}
