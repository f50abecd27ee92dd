/** The values of the cookies with this name in a `Cookie` header. Browsers separate cookies by semicolons. */
export const cookiesOf = (header: string, name: string): string[] =>
  header
    .split(';')
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(`${name}=`) ? cookie.slice(name.length + 1) : []));

/** The only cookie that Firebase Hosting forwards to a function (firebase.google.com/docs/hosting/manage-cache). */
export const SITE_COOKIE = '__session';

/** A path of the site to which browsers send a cookie, and whether they send it when another site leads to the path. */
const scopes = {
  dashboard: 'Path=/dashboardSession; SameSite=Strict',
  share: 'Path=/share; SameSite=Lax',
} as const;

interface SiteCookie {
  scope: keyof typeof scopes;
  value: string;
  /** 0 removes the cookie. */
  seconds: number;
}

/**
 * A `Set-Cookie` header of the site. The cookie belongs to the host of the site alone, and scripts cannot read it.
 * `isSecure` is false for a site without TLS, which only the local cloud is.
 */
export const siteCookie = ({ scope, value, seconds }: SiteCookie, isSecure: boolean): string =>
  `${SITE_COOKIE}=${value}; ${scopes[scope]}; HttpOnly; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`;

/** The headers that remove every cookie of the site from a browser. */
export const noSiteCookies = (isSecure: boolean): string[] =>
  (['dashboard', 'share'] as const).map((scope) => siteCookie({ scope, value: '', seconds: 0 }, isSecure));
