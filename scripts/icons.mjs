// Draws web/static/favicon.ico from the mark, for browsers that show no SVG in a tab. Run it after a change of the
// mark: `node scripts/icons.mjs`. It needs Chromium, at CHROMIUM_PATH or where playwright-core looks for it.
import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { load } from '../web/site/load.mjs';
import { root } from './root.mjs';

const SIZE = 32;

const { favicon } = await load('web/site/files.tsx');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH });
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${SIZE}px }</style>${favicon()}`);
const png = await page.screenshot({ omitBackground: true });
await browser.close();

// The format: a header, one entry for the picture, and the picture as PNG.
const header = Buffer.alloc(22);
header.writeUInt16LE(1, 2);
header.writeUInt16LE(1, 4);
header.writeUInt8(SIZE, 6);
header.writeUInt8(SIZE, 7);
header.writeUInt16LE(1, 10);
header.writeUInt16LE(32, 12);
header.writeUInt32LE(png.length, 14);
header.writeUInt32LE(header.length, 18);
writeFileSync(join(root, 'web/static/favicon.ico'), Buffer.concat([header, png]));
