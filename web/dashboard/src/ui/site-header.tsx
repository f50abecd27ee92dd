import { Mark } from '../../../../functions/src/house/frame';
import { name as product } from '../../../../functions/src/house/tokens.json';
import { leave } from '../account/leave';
import { place } from '../navigation';
import { session, type Session } from '../session';
import { words } from '../words/en';
import { Icon } from './icon';
import { Menu } from './menu';
import { listShortcuts } from './shortcuts';

/** The name of the product, the pages, and the account. */
export function SiteHeader() {
  const isIn = session.value !== undefined;
  return (
    <header class="site-header">
      <a class="brand" href={isIn ? '/dashboard' : '/'}>
        <Mark />
        {product}
      </a>
      <nav aria-label={words.shell.navigation}>
        {isIn && (
          <>
            <a href="/dashboard" class="to-overview" aria-current={isOverview(place.value) ? 'page' : undefined}>
              {words.overview.title}
            </a>
            <a href="/dashboard/decks" aria-current={currentOf(place.value)}>
              {words.shell.decks}
            </a>
          </>
        )}
        <a href="/marketplace">{words.shell.marketplace}</a>
        <a href="/docs" class="to-docs">
          {words.shell.docs}
        </a>
      </nav>
      {session.value ? <AccountMenu {...session.value.user} /> : <SignInLink />}
    </header>
  );
}

const isOverview = (path: string) => /^\/dashboard(\?|$)/.test(path);

/** A deck and a new one belong to the decks. */
const currentOf = (path: string) =>
  /^\/dashboard\/decks(\?|$)/.test(path) ? 'page' : /^\/dashboard\/(decks\/|new)/.test(path) ? 'true' : undefined;

function SignInLink() {
  if (place.value.startsWith('/dashboard/sign-')) return null;
  return (
    <a class="button" href="/dashboard/sign-in">
      {words.shell.signIn}
    </a>
  );
}

function AccountMenu({ displayName: name, email }: Session['user']) {
  const { keys, webhooks, activity, requests, usage, settings, shortcuts, signOut, account } = words.shell;
  const items = [
    { text: settings, href: '/dashboard/settings' },
    { text: requests, href: '/dashboard/requests' },
    { text: activity, href: '/dashboard/activity' },
    { text: keys, href: '/dashboard/keys' },
    { text: webhooks, href: '/dashboard/webhooks' },
    { text: usage, href: '/dashboard/usage' },
    { text: shortcuts, onChoose: listShortcuts },
    { text: signOut, onChoose: () => void leave() },
  ];
  return (
    <Menu label={account} isNamed about={email} items={items} class="account">
      <span class="initial" aria-hidden="true">
        {/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()}
      </span>
      <span class="name" dir="auto">
        {name}
      </span>
      <Icon name="down" />
    </Menu>
  );
}
