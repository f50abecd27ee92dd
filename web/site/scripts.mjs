// The scripts of static pages, each with the source by which a Content-Security-Policy allows exactly this text.
import { createHash } from 'node:crypto';
import bundle from '../../functions/runtime/bundle.cjs';

const script = (text) => ({ text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` });

export const scripts = { home: script(bundle.home) };
