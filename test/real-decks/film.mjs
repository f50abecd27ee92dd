import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const SECONDS = 12;

/**
 * A WebM film that Chromium encodes: 12 s of noise, so that the film has some megabytes and a player seeks in it with
 * ranges, under a bar whose colour changes each second. `mediabunny` is the package's main module.
 */
export async function makeFilm(mediabunny) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH, args: ['--disable-gpu'] });
  try {
    const page = await browser.newPage();
    // WebCodecs needs a secure context, which an empty page is not.
    await page.route('https://film.test/', (route) => route.fulfill({ contentType: 'text/html', body: '<canvas>' }));
    await page.goto('https://film.test/');
    const bundle = join(dirname(mediabunny), 'mediabunny.min.mjs');
    const library = (await readFile(bundle)).toString('base64');
    const encoded = await page.evaluate(encode, { library, seconds: SECONDS });
    return Buffer.from(encoded, 'base64');
  } finally {
    await browser.close();
  }
}

/** Runs in the page. */
async function encode({ library, seconds }) {
  const { Output, BufferTarget, WebMOutputFormat, CanvasSource } = await import(
    `data:text/javascript;base64,${library}`
  );
  const canvas = Object.assign(globalThis.document.querySelector('canvas'), { width: 320, height: 180 });
  const drawing = canvas.getContext('2d');
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new CanvasSource(canvas, { codec: 'vp8', bitrate: 3e6, keyFrameInterval: 1 });
  output.addVideoTrack(source, { frameRate: 10 });
  await output.start();
  const noise = drawing.createImageData(320, 60);
  for (let frame = 0; frame < seconds * 10; frame++) {
    for (let start = 0; start < noise.data.length; start += 65_536)
      globalThis.crypto.getRandomValues(noise.data.subarray(start, start + 65_536));
    drawing.fillStyle = `hsl(${Math.floor(frame / 10) * 30} 80% 50%)`;
    drawing.fillRect(0, 0, 320, 180);
    drawing.putImageData(noise, 0, 120);
    await source.add(frame / 10, 0.1);
  }
  await output.finalize();
  return new Uint8Array(output.target.buffer).toBase64();
}
