import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aPng } from '../support/image-file';
import { aLockedPdf, aPdf } from '../support/pdf-file';
import { pages, unfinished } from './made-decks';
import { aProgram, done, push, refused, testbed, words } from './testbed';

/** Pushes of a PDF, and of pictures. */
export function provePdfs(): void {
  describe('a push of a PDF', () => {
    test('makes a deck of its pages, no version of equal bytes, and a version of others behind the same link', async () => {
      const path = join(testbed.folder, 'talk.pdf');
      await writeFile(path, await aPdf({ pages, title: 'Quarterly review' }));
      const { shareUrl, presentationId, ...pushed } = await push(path);
      expect(pushed).toMatchObject({ status: 'pushed', title: 'Quarterly review', entryPath: 'index.html' });
      const view = (file?: string, init?: RequestInit) => fetch(testbed.fileUrl(shareUrl, '_t', file), init);
      expect(await (await view()).text()).toContain('<h2>Opening</h2><p>Opening</p><p>Welcome</p>');
      expect((await view('pdf/LICENSE.txt')).status).toBe(200);
      const part = await view('slides.pdf', { headers: { Range: 'bytes=0-4' } });
      expect([part.status, await part.text()]).toEqual([206, '%PDF-']);
      expect(await push(path)).toMatchObject({ status: 'unchanged' });

      await writeFile(path, await aPdf({ pages: [...pages, { heading: 'Questions' }], title: 'Quarterly review' }));
      const next = { status: 'pushed', presentationId, version: 2, shareUrl, uploaded: { files: 2 } };
      expect(await push(path)).toMatchObject(next);
      expect(await (await view()).text()).toContain('Questions');
      const deckFile = await readFile(join(testbed.folder, '.talk.pdf.deck.json'), 'utf8');
      expect(JSON.parse(deckFile)).toMatchObject({ presentationId, version: 2 });
      expect(unfinished()).toEqual([]);
    });

    test('that nobody can show is refused before anything is asked, and other files of slides say what to do', async () => {
      const calls = { ...testbed.proxy.calls };
      const refusal = async (bytes: Buffer | string, name: string) => {
        const path = join(testbed.folder, name);
        await writeFile(path, bytes);
        return refused('push', path);
      };
      expect(await refusal(await aLockedPdf(), 'locked.pdf')).toMatchObject({
        code: 'locked-file',
        exit: 1,
        message: 'locked.pdf is protected with a password.',
        nextAction: expect.stringContaining('without the password') as string,
      });
      const broken = (await aPdf({ pages })).subarray(0, 300);
      expect(await refusal(broken, 'broken.pdf')).toMatchObject({ code: 'damaged-file', exit: 1 });
      expect(testbed.proxy.calls['precheckAssets']).toBe(calls['precheckAssets']);
      const ways = { 'talk.pptx': 'as PDF', 'talk.key': 'as PDF', 'photo.heic': 'as JPEG' };
      for (const [name, way] of Object.entries(ways))
        expect(await refused('push', await aProgram('', name))).toMatchObject({
          code: 'usage',
          exit: 2,
          nextAction: words(way),
        });
    });
  });

  describe('a push of pictures', () => {
    test('makes a deck of one slide each, which pull and diff know', async () => {
      const folder = await testbed.aFolder({ '1 Arrival.png': await aPng(160, 90), '2 Tower.png': await aPng(30, 60) });
      const { shareUrl, presentationId, ...pushed } = await push(folder);
      expect(pushed).toMatchObject({ status: 'pushed', entryPath: 'index.html' });
      const view = (file?: string) => fetch(testbed.fileUrl(shareUrl, '_t', file));
      expect(await (await view()).text()).toContain('<h2>Tower</h2>');
      expect((await view('viewer/images.mjs')).headers.get('content-type')).toMatch(/^text\/javascript/);
      expect(await push(folder)).toMatchObject({ status: 'unchanged' });
      expect(await done('diff', '--deck', folder)).toMatchObject({ added: [], changed: [], removed: [] });
      expect(await push(join(folder, '2 Tower.png'))).toMatchObject({ status: 'pushed', title: '2 Tower' });
      expect(unfinished()).toEqual([]);
      expect(presentationId).toBeTruthy();
    });
  });
}
