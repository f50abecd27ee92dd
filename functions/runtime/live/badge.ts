import { attempt } from '../attempt';

/** What the badge shows, and what a screen reader says of it. */
export interface Face {
  label: string;
  hint: string;
  /** Whether the deck is not where the presenter is. */
  isAway?: boolean;
}

const STYLE = `
:host { all: initial; position: fixed; z-index: 2147483647; top: 12px; right: 12px; }
@media print { :host { display: none } }
button { all: unset; box-sizing: border-box; display: flex; align-items: center; gap: 8px; min-height: 32px;
  padding: 0 14px 0 12px; border: 1px solid rgb(255 255 255 / .35); border-radius: 16px; cursor: pointer;
  background: rgb(24 24 28 / .86); color: #fff; font: 600 14px/1 system-ui, sans-serif; }
button:focus-visible { outline: 3px solid #fff; outline-offset: 2px; box-shadow: 0 0 0 7px #18181c; }
i { width: 9px; height: 9px; border-radius: 50%; background: #ff5c52; }
.away i { background: none; box-shadow: inset 0 0 0 2px #fff; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) {
  :not(.away) > i { animation: live 2s ease-in-out infinite } @keyframes live { 50% { opacity: .45 } }
}`;

/** The keys that press a button. The deck hears all others. */
const pressing = ['Enter', ' '];
const pointing = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'touchstart', 'touchend', 'dblclick'];

export interface Badge {
  wear: (face: Face) => void;
  remove: () => void;
  /** The shadow root of the badge. */
  root: ShadowRoot;
}

/** The one thing that the runtime shows. `onPress` is called for a press of the badge. */
export function showBadge(onPress: () => void): Badge {
  const host = document.createElement('deck-live');
  host.lang = 'en';
  const root = host.attachShadow({ mode: 'open' });
  dress(root, STYLE);
  const [button, dot, label, status] = ['button', 'i', 'span', 'div'].map((name) => document.createElement(name));
  button!.append(dot!, label!);
  status!.setAttribute('role', 'status');
  status!.className = 'said';
  root.append(button!, status!);

  // A press of the badge is no input of the deck.
  for (const name of pointing) host.addEventListener(name, (event) => event.stopPropagation());
  for (const name of ['keydown', 'keyup', 'keypress'])
    host.addEventListener(name, (event) => {
      if (pressing.includes((event as KeyboardEvent).key)) event.stopPropagation();
    });
  button!.addEventListener('click', ({ detail }) => {
    // The next key is for the deck, unless the badge was pressed with the keyboard.
    if (detail > 0) button!.blur();
    attempt(onPress);
  });
  /**
   * A deck that replaces its body keeps the badge. An element that fills the screen hides what is not in the top layer,
   * and lets nobody press what is not in the element. Some elements, such as a canvas, show nothing that is in them.
   */
  const raise = () =>
    attempt(() => {
      for (const home of [document.fullscreenElement, document.documentElement]) {
        home?.append(host);
        if (host.getClientRects().length > 0) break;
      }
      host.popover = 'manual';
      host.hidePopover();
      if (document.fullscreenElement) host.showPopover();
    });
  addEventListener('fullscreenchange', raise, true);
  raise();

  return {
    root,
    wear: ({ label: text, hint, isAway = false }) => {
      label!.textContent = text;
      button!.title = hint;
      button!.setAttribute('aria-label', `${text}. ${hint}`);
      button!.className = isAway ? 'away' : '';
      if (status!.textContent !== hint) status!.textContent = hint;
    },
    remove: () => {
      removeEventListener('fullscreenchange', raise, true);
      host.remove();
    },
  };
}

/** Gives a shadow tree its style. A policy of the deck forbids no style sheet that a script has made. */
export function dress(root: ShadowRoot, style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets.push(sheet);
}
