import { sumFiles, type HashedFile } from '../folder/hash';
import { formatBytes } from '../format';
import type { Plan, ServiceInfo } from './ask-service';
import type { Warning } from './warning';

/** Whether a plan exists whose caps the files exceed. Only then the plan of the caller matters. */
export function exceedsSomePlan(files: readonly HashedFile[], info: ServiceInfo): boolean {
  return (Object.keys(info.plans) as Plan[]).some((plan) => checkCaps(files, plan, info).length > 0);
}

/** Everything for which the service would refuse the commit: the caps of the plan, and the limit of pages. */
export function checkCaps(files: readonly HashedFile[], plan: Plan, { plans, limits }: ServiceInfo): Warning[] {
  const caps = plans[plan];
  const allowed = `the plan "${plan}" allows`;
  const warnings: Warning[] = [];
  if (files.length > caps.filesPerManifest)
    warnings.push({
      code: 'too-many-files',
      message: `The deck has ${files.length} files; ${allowed} ${caps.filesPerManifest}.`,
    });
  const { bytes } = sumFiles(files);
  if (bytes > caps.deckBytes)
    warnings.push({
      code: 'payload-too-large',
      message: `The deck has ${formatBytes(bytes)}; ${allowed} ${formatBytes(caps.deckBytes)}.`,
    });
  for (const file of files) {
    const { path, sizeBytes } = file;
    const cap = isHtml(file) ? Math.min(caps.htmlBytes, caps.assetBytes) : caps.assetBytes;
    const limit = isPage(file) ? Math.min(cap, limits.pageBytes) : cap;
    if (sizeBytes <= limit) continue;
    const who = limit < cap ? 'the service takes at most' : allowed;
    const message = `${path} has ${formatBytes(sizeBytes)}; ${who} ${formatBytes(limit)}.`;
    warnings.push({ code: 'payload-too-large', message, path });
  }
  return warnings;
}

const mediaType = ({ contentType }: HashedFile) => contentType.replace(/;.*/, '');

/** HTML has a cap of its own. */
const isHtml = (file: HashedFile) =>
  /^(text\/html|application\/xhtml\+xml)$/.test(mediaType(file)) || /\.x?html?$/i.test(file.path);

/** The service answers HTML, SVG and XML itself, never from the bucket: what one answer can hold limits their size. */
const isPage = (file: HashedFile) => /^text\/(html|xsl)$|[+/]xml$/.test(mediaType(file));
