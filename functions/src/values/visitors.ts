import { isbot } from 'isbot';

/**
 * What the headers of a request tell of the device of a reader. Nothing of them is stored beside these three values.
 */

/** The headers of the request with which a browser tells something of its reader. */
export interface VisitorHeaders {
  userAgent: string | undefined;
  /** `Sec-CH-UA-Mobile` */
  isMobile: string | undefined;
  acceptLanguage: string | undefined;
  /** `Sec-Purpose`, or what older browsers send instead: `Purpose`, `X-Moz` or `X-Purpose`. */
  purpose: string | undefined;
  /** `Sec-GPC` */
  privacyControl: string | undefined;
  /** `DNT` */
  doNotTrack: string | undefined;
}

export type Device = 'desktop' | 'mobile' | 'tablet';

/**
 * Whether a program says that it is one, or a page is loaded before somebody opens it. A missing header says nothing.
 */
export const isRobot = ({ userAgent, purpose }: Pick<VisitorHeaders, 'userAgent' | 'purpose'>): boolean =>
  isPrefetch(purpose) || (userAgent !== undefined && (isbot(userAgent) || otherRobots.test(userAgent)));

/** Programs that `isbot` takes for browsers: Office and Outlook look at links, Viber and PowerShell fetch them. */
const otherRobots = /ms-?office|^Microsoft Office\/|^MacOutlook\/|^Viber\/|PowerShell\//i;

/** Whether a browser loads a page before somebody opens it. Safari calls that a preview. */
export const isPrefetch = (purpose: string | undefined): boolean => /^\s*(?:prefetch|preview)/i.test(purpose ?? '');

/** Whether a browser asks that its reader is not tracked. */
export const asksForPrivacy = ({
  privacyControl,
  doNotTrack,
}: Pick<VisitorHeaders, 'privacyControl' | 'doNotTrack'>): boolean => privacyControl === '1' || doNotTrack === '1';

/** An iPad names itself a Macintosh since iPadOS 13: it counts as a desktop, because nothing in its headers differs. */
export function deviceOf({ userAgent = '', isMobile }: Pick<VisitorHeaders, 'userAgent' | 'isMobile'>): Device {
  const isAndroid = /Android/i.test(userAgent);
  if (/iPad|Tablet|Kindle|Silk\/|PlayBook/i.test(userAgent)) return 'tablet';
  if (isAndroid && !/Mobile/i.test(userAgent) && isMobile !== '?1') return 'tablet';
  return isAndroid || isMobile === '?1' || /iPhone|iPod|Mobile/i.test(userAgent) ? 'mobile' : 'desktop';
}

/** The first language of `Accept-Language`, when it has the form of one. */
export function languageOf(acceptLanguage: string | undefined): string | null {
  const [first = ''] = (acceptLanguage ?? '').split(/[,;]/);
  return /^[a-z]{2,8}(-[a-z\d]{1,8}){0,3}$/i.test(first.trim()) ? first.trim() : null;
}

const HOST = /^(?!.*\.\.)[a-z\d_](?:[a-z\d_.-]{0,98}[a-z\d])?$/;

/**
 * The host of a `Referer` that is not one of `own`, in lower case without a port. `own` are hosts, and with a leading
 * dot all hosts below one.
 */
export function referrerHostOf(referrer: string | undefined, own: readonly string[]): string | undefined {
  if (referrer === undefined) return undefined;
  try {
    const { protocol, hostname } = new URL(referrer);
    return /^https?:$/.test(protocol) ? otherHost(hostname, own) : undefined;
  } catch {
    return undefined;
  }
}

/** The host, when it has the form of one and is not one of `own`. */
export function otherHost(host: string, own: readonly string[]): string | undefined {
  const isOwn = own.some((each) => (each.startsWith('.') ? host.endsWith(each) : host === each));
  return HOST.test(host) && !isOwn ? host : undefined;
}
