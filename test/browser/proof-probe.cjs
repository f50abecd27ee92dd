/* global document, getComputedStyle, innerWidth, innerHeight, NodeFilter, addEventListener, PerformanceObserver */
'use strict';

/*
 * What the proofs ask a page. The file runs in the page, before the scripts of the page. `proof` answers with texts
 * that name the elements against which there is something to say: an empty list is what the tests expect.
 */

/** The start of every hostile text of the tests: an override of the direction, and Hebrew. */
const MARK = '\u202eשלום';

const shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const of = sources.map(({ node }) => (node?.nodeType === 1 ? named(node) : node?.textContent.slice(0, 40)));
    if (!hadRecentInput) shifts.push(`${value.toFixed(4)} ${of.join(' ')}`);
  }
}).observe({ type: 'layout-shift', buffered: true });

function named(element) {
  const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().replace(/\s+/g, ' ');
  const id = element.id && !element.id.startsWith('P') ? `#${element.id}` : '';
  const name = typeof element.className === 'string' && element.className ? `.${element.className.split(' ')[0]}` : '';
  return `${element.localName}${id}${name} “${text.slice(0, 40)}”`;
}

const isSeen = (element) =>
  element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0;

/** Everything that a person can operate, in the order of the document. A frame belongs to the author of its deck. */
function stops() {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const all = root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]');
  const isOperated = (each) => !each.disabled && each.tabIndex >= 0 && each.type !== 'hidden' && isSeen(each);
  return [...all].filter(isOperated).filter((each) => each.type !== 'radio' || each.checked);
}

/** In the order in which they got the focus. */
const focused = new Set();

const misplaced = [];
let last;

/** Whether the link to the content stands above the page, as it does while it has not the focus. */
const isAbovePage = ({ bottom }) => bottom + document.documentElement.scrollTop <= 0;

/** Notes an element that gets the focus after another one, and stands above it, or before it on the same line. */
function seeOrder(element) {
  if (!focused.has(element) && last && isSeen(last) && isSeen(element)) {
    const [before, box] = [last, element].map((each) => each.getBoundingClientRect());
    const middle = (box.top + box.bottom) / 2;
    const isOnLine = middle > before.top && middle < before.bottom;
    const isAbove = box.bottom <= before.top + 1 && box.left < before.right - 1;
    if (!isAbovePage(before) && (isAbove || (isOnLine && box.right <= before.left)))
      misplaced.push(`${named(element)} after ${named(last)}`);
  }
  last = element;
}

const unseen = new Set();

/** Whether the focus on an element is drawn: by an outline, on the element or on what it draws in its card. */
function hasOutline(element) {
  return ['', '::after', '::before'].some((pseudo) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element, pseudo);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && !/, 0\)$|transparent/.test(outlineColor);
  });
}

function seeFocus({ target }) {
  seeOrder(target);
  focused.add(target);
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isOnScreen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  if (!hasOutline(target)) unseen.add(`${named(target)} has no outline`);
  if (!isOnScreen) unseen.add(`${named(target)} is not on the screen`);
}

/** Watches where the focus goes from now on. */
function watchFocus() {
  focused.clear();
  unseen.clear();
  misplaced.length = 0;
  last = undefined;
  addEventListener('focusin', seeFocus);
}

/** Elements that move although the reader wants no motion. */
function moving() {
  const found = document.getAnimations().map(({ effect }) => `${named(effect.target)} is animated`);
  for (const each of document.querySelectorAll('*')) {
    for (const pseudo of ['', '::before', '::after']) {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(each, pseudo);
      if (!/^0s(, 0s)*$/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth')
        found.push(`${named(each)}${pseudo} moves`);
    }
  }
  return found;
}

/** The text without its pairs, however deep they stand in each other. */
function without(pair, text) {
  const rest = text.replace(pair, '');
  return rest === text ? text : without(pair, rest);
}
const withoutIsolates = (text) => without(/\u2068[^\u2068\u2069]*\u2069/g, text);
const isWhole = (text, data) => data.some((each) => each === text) || text === '';
/** A text as it was before it became a word of a shell. */
const unquoted = (word) => (/^'.*'$/s.test(word) ? word.slice(1, -1).replaceAll(`'\\''`, `'`) : word);
const flat = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * Texts of people that stand in a sentence without isolation, so that their direction reaches the words around them, or
 * that do not take their direction from their own letters.
 */
function unisolated(texts) {
  const data = texts.map(flat);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!withoutIsolates(node.data).includes(MARK)) continue;
    const parent = node.parentElement;
    if (/^(script|style|textarea)$/.test(parent.localName)) continue;
    const own = parent.closest('bdi, [dir], option');
    const whole = own && flat(own.localName === 'option' ? own.textContent : textOf(own));
    const said = own?.closest('pre') ? unquoted(whole) : whole;
    if (!own || own === document.documentElement || !isWhole(said, data))
      found.push(`${named(parent)}: ${node.data.slice(0, 60)}`);
  }
  for (const each of document.querySelectorAll('*')) {
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-valuetext']) {
      const text = each.getAttribute(name);
      if (text && withoutIsolates(text).includes(MARK) && !isWhole(flat(text), data)) found.push(`${name}: ${text}`);
    }
    const isTyped = /^(input|textarea)$/.test(each.localName) && each.type !== 'hidden';
    if (isTyped && each.value.includes(MARK) && each.dir !== 'auto') found.push(`${named(each)} is not dir=auto`);
  }
  if (withoutIsolates(document.title).includes(MARK) && !isWhole(flat(document.title), data))
    found.push(`title: ${document.title}`);
  return found;
}

/** The text of an element without that of the isolated elements in it. */
function textOf(element) {
  return [...element.childNodes]
    .map((child) => (child.nodeType === 3 ? child.data : child.matches?.('bdi, [dir]') ? '' : textOf(child)))
    .join('');
}

/** What a text of people has done beyond being a text. */
function harmed() {
  const found = globalThis.hit === undefined ? [] : [`the script ${globalThis.hit} ran`];
  for (const each of document.querySelectorAll('img[src="x"], [onerror], [onload]')) found.push(named(each));
  return found;
}

/** Elements that reach over the edge of the page, or of its dialog, outside of a box that scrolls. */
function overflowing() {
  return [document.documentElement, ...document.querySelectorAll('dialog[open]')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .flatMap((box) => {
      const edge = box.getBoundingClientRect().left + box.clientLeft + box.clientWidth;
      const reaches = (each) => each.getBoundingClientRect().right > edge + 0.5;
      return [...box.querySelectorAll('*')].filter(reaches).slice(0, 5).map(named);
    });
}

/**
 * Texts and names of the page that are neither in brackets nor data nor marked as not to be translated. Numbers and
 * dates are in the reader's language.
 */
function untranslated(data) {
  const found = [];
  const longest = data.map(flat).sort((a, b) => b.length - a.length);
  const judge = (text, of) => {
    const rest = longest.reduce((all, each) => all.replaceAll(each, ''), flat(without(/⟦[^⟦⟧]*⟧/g, text)));
    if (/[A-Za-z]{2,}/.test(rest.replace(/\S+@\S+/g, ''))) found.push(`${of}: ${rest.trim().slice(0, 60)}`);
  };
  for (const each of document.querySelectorAll('body *')) {
    if (each.closest('[translate="no"], script, style, noscript') || !isSeen(each)) continue;
    const own = [...each.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data);
    judge(own.join(''), each.localName);
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-valuetext'])
      judge(each.getAttribute(name) ?? '', name);
  }
  judge(document.title, 'the title of the tab');
  return found;
}

globalThis.proof = {
  untranslated,
  shifts: () => shifts,
  disordered: () => misplaced,
  watchFocus,
  unreached: () =>
    stops()
      .filter((each) => !focused.has(each))
      .map(named),
  countStops: () => stops().length,
  unseen: () => [...unseen],
  moving,
  unisolated,
  harmed,
  overflowing,
};
