import { escapeHtml } from '../policy/escape-html';

/** A whole mail around its inner HTML: tables and inline styles, since mail programs know little else; light and dark. */
export function mailHtml(title: string, inner: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14161a !important; }
  .card { background: #1e2127 !important; border-color: #343a44 !important; }
  .ink { color: #f2f4f8 !important; }
  .soft { color: #a9b1bf !important; }
  .code { background: #14161a !important; color: #f2f4f8 !important; border-color: #343a44 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;background:#ffffff;border:1px solid #e2e5ea;border-radius:12px">
<tr><td class="ink" style="padding:32px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#1b1f27;text-align:left">
${inner}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
