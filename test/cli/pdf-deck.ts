import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aLockedPdf, aPdf } from '../support/pdf-file';
import { aProgram, push, refused, testbed } from './testbed';

const pages = [{ heading: 'Opening', lines: ['Welcome'] }, { heading: 'Numbers' }];

export function provePdfs(): void {
  describe('a push of a PDF', () => {
    test('makes a deck of its pages, no version of equal bytes, and a version of others behind the same link', async () => {
      const path = join(testbed.folder, 'talk.pdf');
      await writeFile(path, await aPdf({ pages, title: 'Quarterly review' }));
      const unfinished = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('deck-pdf-'));
      const before = await unfinished();
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
      expect(await unfinished()).toEqual(before);
    });

    test('that nobody can show is refused before anything is asked, and other files of slides say what to do', async () => {
      const calls = { ...testbed.proxy.calls };
      const refusal = async (bytes: Buffer | string, name: string) => {
        const path = join(testbed.folder, name);
        await writeFile(path, bytes);
        return refused('push', path);
      };
      expect(await refusal(await aLockedPdf(), 'locked.pdf')).toMatchObject({
        ...{ code: 'locked-file', exit: 1, message: 'locked.pdf is protected with a password.' },
        nextAction: expect.stringContaining('without the password') as string,
      });
      const broken = (await aPdf({ pages })).subarray(0, 300);
      expect(await refusal(broken, 'broken.pdf')).toMatchObject({ code: 'damaged-file', exit: 1 });
      expect(testbed.proxy.calls['precheckAssets']).toBe(calls['precheckAssets']);
      for (const name of ['talk.pptx', 'talk.key', 'photo.png'])
        expect(await refused('push', await aProgram('', name))).toMatchObject({
          ...{ code: 'usage', exit: 2 },
          nextAction: expect.stringContaining('as PDF') as string,
        });
    });
  });
}
