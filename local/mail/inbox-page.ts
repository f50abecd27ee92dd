/** The inbox page. Its script fills in the list. A mail's HTML is shown in a frame, never in this document. */
export const INBOX_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Inbox</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect x='3' y='7' width='26' height='18' rx='4' fill='%234f46e5'/%3E%3Cpath d='m6 11 10 7 10-7' fill='none' stroke='white' stroke-width='2.5' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/inbox.css">
<script src="/inbox.js" defer></script>
</head>
<body>
<header class="bar">
  <h1>Inbox</h1>
  <p class="status" id="status" role="status">Connecting…</p>
  <input type="search" id="filter" placeholder="Filter by address or subject" aria-label="Filter by address or subject" autocomplete="off" spellcheck="false">
  <button type="button" id="empty" disabled>Empty<span class="wide"> inbox</span></button>
</header>
<main id="main">
  <nav aria-label="Mails" class="list">
    <ul id="mails"></ul>
    <div class="blank" id="none">
      <p><strong id="none-title">No mail yet</strong></p>
      <p id="none-text">Mails that the local functions send appear here immediately. No mail leaves this computer.</p>
    </div>
  </nav>
  <section class="reader" id="reader" aria-label="Mail" tabindex="-1">
    <div class="blank" id="unselected"><p>Select a mail to read it.</p></div>
    <article id="mail" hidden>
      <a class="back" href="#">&larr; All mails</a>
      <h2 id="subject"></h2>
      <dl class="facts">
        <div><dt>From</dt><dd id="from"></dd></div>
        <div><dt>To</dt><dd id="to"></dd></div>
        <div><dt>Sent</dt><dd><time id="sent"></time></dd></div>
        <div><dt>State</dt><dd><span id="state"></span> <button type="button" data-tell="bounced">Bounce</button> <button type="button" data-tell="complained">Report as spam</button></dd></div>
        <div id="stop" hidden><dt>Stop</dt><dd><a id="stop-link" target="_blank" rel="noopener noreferrer">List-Unsubscribe</a></dd></div>
      </dl>
      <div class="code" id="code" hidden>
        <span class="digits" id="digits"></span>
        <button type="button" id="copy">Copy code</button>
      </div>
      <div class="views" id="views" role="group" aria-label="Show as">
        <button type="button" data-view="html">HTML</button>
        <button type="button" data-view="text">Text</button>
      </div>
      <iframe id="html" title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>
      <pre id="text" tabindex="0" aria-label="The mail as text"></pre>
    </article>
  </section>
</main>
<p class="unseen" id="news" aria-live="polite"></p>
<noscript><p class="blank">This page needs JavaScript. <a href="/messages">/messages</a> lists the mails as JSON.</p></noscript>
</body>
</html>
`;
