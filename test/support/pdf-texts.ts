import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The texts of the pages of a PDF. The reader is a module, which a test cannot import. */
export function pdfTexts(bytes: Uint8Array): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, 'print-pdf-texts.mjs')], { input: bytes });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as string[];
}
