/** The script of the inbox. It keeps the list equal to the server's and rewrites only the nodes that changed. */
export const INBOX_SCRIPT = String.raw`
'use strict';
const at = (id) => document.getElementById(id);
const rows = new Map();
let messages = [];
let shownId;
let view = 'html';
let isLoaded = false;

/** The first separate group of six digits: in the text, else in the visible HTML, else in the subject. */
function codeIn({ text, html, subject }) {
  // No HTML parser: it would apply this page's policy to the mail and report every style in it as a violation.
  const visible = (html || '').replace(/<(style|script|title)\b[^]*?<\/\1>|<!--[^]*?-->|<[^>]*>/gi, ' ');
  for (const source of [text, visible, subject]) {
    const found = /(?<![\w#.,+&-])\d{6}(?![\w-])/.exec(source || '');
    if (found) return found[0];
  }
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
function ago(iso) {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  if (seconds > -45) return 'now';
  if (seconds > -3000) return RELATIVE.format(Math.round(seconds / 60), 'minute');
  if (seconds > -80000) return RELATIVE.format(Math.round(seconds / 3600), 'hour');
  return new Date(iso).toLocaleDateString('en', { month: 'short', day: 'numeric' });
}

/** Writes only when the text differs, so that selections stay and screen readers do not repeat it. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function newRow(message) {
  const item = document.createElement('li');
  const link = item.appendChild(document.createElement('a'));
  link.href = '#' + message.id;
  const part = (tag, name, text) => {
    const node = link.appendChild(document.createElement(tag));
    node.className = name;
    node.textContent = text;
    return node;
  };
  part('span', 'who', message.to.join(', '));
  const time = part('time', 'when', ago(message.createdAt));
  time.dateTime = message.createdAt;
  part('span', 'what', message.subject);
  const code = codeIn(message);
  if (code) part('span', 'chip', code);
  return { item, link, time, code };
}

function matches(message, words) {
  const text = [message.subject, message.from, ...message.to].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function renderList() {
  const words = at('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const ids = new Set(messages.map(({ id }) => id));
  for (const [id, { item }] of rows) {
    if (ids.has(id)) continue;
    item.remove();
    rows.delete(id);
  }
  let place = at('mails').firstElementChild;
  let count = 0;
  for (const message of messages) {
    const row = rows.get(message.id) || newRow(message);
    rows.set(message.id, row);
    write(row.time, ago(message.createdAt));
    row.item.hidden = !matches(message, words);
    if (!row.item.hidden) count++;
    if (message.id === shownId) row.link.setAttribute('aria-current', 'true');
    else row.link.removeAttribute('aria-current');
    if (row.item === place) place = place.nextElementSibling;
    else at('mails').insertBefore(row.item, place);
  }
  at('none').hidden = !isLoaded || count > 0;
  write(at('none-title'), messages.length ? 'Nothing matches' : 'No mail yet');
  at('none-text').hidden = messages.length > 0;
  at('empty').disabled = messages.length === 0;
  document.title = messages.length ? 'Inbox (' + messages.length + ')' : 'Inbox';
}

function renderReader() {
  const id = decodeURIComponent(location.hash.slice(1));
  const message = messages.find((one) => one.id === id);
  const isChange = (message && message.id) !== shownId;
  shownId = message && message.id;
  at('main').toggleAttribute('data-open', Boolean(message));
  at('mail').hidden = !message;
  at('unselected').hidden = Boolean(message) || messages.length === 0;
  if (message) write(at('state'), message.lastEvent);
  if (!message || !isChange) return;
  write(at('subject'), message.subject);
  write(at('from'), message.from);
  write(at('to'), message.to.join(', '));
  write(at('sent'), new Date(message.createdAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' }));
  at('sent').dateTime = message.createdAt;
  const [, stopUrl] = /<(https?:[^<>]+)>/.exec(message.headers['List-Unsubscribe'] || '') || [];
  at('stop').hidden = !stopUrl;
  if (stopUrl) at('stop-link').href = stopUrl;
  const code = codeIn(message);
  at('code').hidden = !code;
  write(at('digits'), code || '');
  write(at('copy'), 'Copy code');
  write(at('text'), message.text || '');
  // A new frame instead of a navigation: a navigation adds a history entry, and then "back" has no visible effect.
  const frame = at('html').cloneNode();
  if (message.html === null) frame.removeAttribute('src');
  else frame.src = '/messages/' + encodeURIComponent(message.id) + '/html';
  at('html').replaceWith(frame);
  at('views').hidden = message.html === null || message.text === null;
  renderView(message);
  at('reader').scrollTop = 0;
  at('reader').focus({ preventScroll: true });
}

function renderView(message) {
  const shown = message.html === null ? 'text' : message.text === null ? 'html' : view;
  at('html').hidden = shown !== 'html';
  at('text').hidden = shown !== 'text';
  for (const button of at('views').children) button.setAttribute('aria-pressed', String(button.dataset.view === shown));
}

function render() {
  renderReader();
  renderList();
}

async function refresh() {
  const response = await fetch('/messages?limit=200');
  const known = new Set(messages.map(({ id }) => id));
  messages = (await response.json()).messages;
  const fresh = messages.filter(({ id }) => !known.has(id));
  if (isLoaded && fresh.length > 0) write(at('news'), 'New mail: ' + fresh[0].subject);
  isLoaded = true;
  render();
}

function tellStatus(isLive) {
  write(at('status'), isLive ? 'Live' : 'Reconnecting…');
  at('status').toggleAttribute('data-live', isLive);
}

// One refresh at a time. A change during a refresh starts one more.
let running = false;
let again = false;
async function update() {
  if (running) return void (again = true);
  running = true;
  do {
    again = false;
    await refresh().catch(() => tellStatus(false));
  } while (again);
  running = false;
}

const events = new EventSource('/events');
events.onopen = () => {
  tellStatus(true);
  update();
};
events.onmessage = update;
events.onerror = () => tellStatus(false);

addEventListener('hashchange', render);
at('filter').addEventListener('input', renderList);
setInterval(renderList, 30000);

at('views').addEventListener('click', (event) => {
  const chosen = event.target.closest('button');
  const message = messages.find(({ id }) => id === shownId);
  if (!chosen || !message) return;
  view = chosen.dataset.view;
  renderView(message);
});

// The mail server tells the functions, as Resend does.
for (const button of document.querySelectorAll('[data-tell]')) {
  button.addEventListener('click', async () => {
    await fetch('/messages/' + encodeURIComponent(shownId) + '/' + button.dataset.tell, { method: 'POST' });
  });
}

at('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(at('digits').textContent);
  write(at('copy'), 'Copied');
  write(at('news'), 'Code copied');
});

at('empty').addEventListener('click', async () => {
  if (!confirm('Delete all mails in this inbox?')) return;
  await fetch('/messages', { method: 'DELETE' });
});

// The keys j and k select the next and the previous mail.
document.addEventListener('keydown', (event) => {
  const step = { j: 1, k: -1 }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) return;
  const visible = messages.filter(({ id }) => !rows.get(id).item.hidden);
  const next = visible[visible.findIndex(({ id }) => id === shownId) + step];
  if (next) location.hash = next.id;
});
`;
