import { formatBytes } from '../format';
import { sumFiles, type TypedFile } from '../pushed-file';
import type { Plan, ServiceInfo } from './ask-service';
import type { Warning } from './warning';

/** Whether a plan exists whose caps the files exceed. Only then the plan of the caller matters. */
export function exceedsSomePlan(files: readonly TypedFile[], info: ServiceInfo): boolean {
  return (Object.keys(info.plans) as Plan[]).some((plan) => exceededCaps(files, plan, info).length > 0);
}

/** A cap that the files exceed. The service refuses the commit with this code and these details. */
export interface ExceededCap {
  code: 'too-many-files' | 'payload-too-large';
  details: { limit: number; actual: number; plan: Plan; path?: string };
  /** Whether it is a limit of the service, which no plan lifts. */
  isOfService?: boolean;
}

/** Everything for which the service would refuse the commit: the caps of the plan, and the limit of pages. */
export function exceededCaps(files: readonly TypedFile[], plan: Plan, { plans, limits }: ServiceInfo): ExceededCap[] {
  const caps = plans[plan];
  const exceeded: ExceededCap[] = [];
  if (files.length > caps.filesPerManifest)
    exceeded.push({
      code: 'too-many-files',
      details: { limit: caps.filesPerManifest, actual: files.length, plan },
    });
  const { bytes } = sumFiles(files);
  if (bytes > caps.deckBytes)
    exceeded.push({ code: 'payload-too-large', details: { limit: caps.deckBytes, actual: bytes, plan } });
  for (const file of files) {
    const { path, sizeBytes: actual } = file;
    const cap = isHtml(file) ? Math.min(caps.htmlBytes, caps.assetBytes) : caps.assetBytes;
    const limit = isPage(file) ? Math.min(cap, limits.pageBytes) : cap;
    if (actual > limit)
      exceeded.push({
        code: 'payload-too-large',
        details: { limit, actual, plan, path },
        isOfService: limit < cap,
      });
  }
  return exceeded;
}

/** The same as a warning. */
export function capWarning({ code, details: { limit, actual, plan, path }, isOfService }: ExceededCap): Warning {
  const who = isOfService ? 'the service takes at most' : `the plan "${plan}" allows`;
  if (code === 'too-many-files') return { code, message: `The deck has ${actual} files; ${who} ${limit}.` };
  const message = `${path ?? 'The deck'} has ${formatBytes(actual)}; ${who} ${formatBytes(limit)}.`;
  return { code, message, ...(path !== undefined && { path }) };
}

const mediaType = ({ contentType }: TypedFile) => contentType.replace(/;.*/, '');

/** HTML has a cap of its own. */
const isHtml = (file: TypedFile) =>
  /^(text\/html|application\/xhtml\+xml)$/.test(mediaType(file)) || /\.x?html?$/i.test(file.path);

/** The service answers HTML, SVG and XML itself, never from the bucket: what one answer can hold limits their size. */
const isPage = (file: TypedFile) => /^text\/(html|xsl)$|[+/]xml$/.test(mediaType(file));
