import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aPng } from '../support/image-file';
import { aLockedPdf, aPdf } from '../support/pdf-file';
import { temporaryFiles } from '../support/temporary-folder';
import { aProgram, done, push, refused, testbed, words } from './testbed';

export const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }];
/** The temporary files of decks that were made. */
export const unfinished = () => temporaryFiles('deck-made-');

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

    test('with a password is refused before anything is asked, and other files of slides say what to do', async () => {
      const path = join(testbed.folder, 'locked.pdf');
      await writeFile(path, await aLockedPdf());
      const locked = { code: 'locked-file', exit: 1, nextAction: words('without the password') };
      expect(await refused('push', path)).toMatchObject(locked);
      expect(testbed.proxy.calls['precheckAssets']).toBeUndefined();
      for (const [name, way] of Object.entries({
        'talk.pptx': 'as PDF',
        'talk.key': 'as PDF',
        'photo.heic': 'as JPEG',
      })) {
        const error = { code: 'usage', exit: 2, nextAction: words(way) };
        expect(await refused('push', await aProgram('', name))).toMatchObject(error);
      }
    });
  });

  describe('a push of pictures', () => {
    test('makes a deck, which a diff knows', async () => {
      const folder = await testbed.aFolder({ '1 Arrival.png': await aPng(160, 90), '2 Tower.png': await aPng(30, 60) });
      const { shareUrl, ...pushed } = await push(folder);
      expect(pushed).toMatchObject({ status: 'pushed', entryPath: 'index.html' });
      expect(await (await fetch(testbed.fileUrl(shareUrl, '_t'))).text()).toContain('<h2>Tower</h2>');
      expect(await push(folder)).toMatchObject({ status: 'unchanged' });
      expect(await done('diff', '--deck', folder)).toMatchObject({ added: [], changed: [], removed: [] });
      expect(await push(join(folder, '2 Tower.png'))).toMatchObject({ status: 'pushed', title: '2 Tower' });
      expect(unfinished()).toEqual([]);
    });
  });
}
