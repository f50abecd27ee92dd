import { mark, name as product } from 'virtual:house';
import { leave } from '../account/leave';
import { place } from '../router';
import { session } from '../session';
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
        <svg viewBox={mark.box} width="20" height="20" aria-hidden="true">
          <path fill="currentColor" d={mark.path} />
        </svg>
        {product}
      </a>
      <nav aria-label={words.shell.navigation}>
        {isIn && (
          <a href="/dashboard" aria-current={/^\/dashboard(\?|$)/.test(place.value) ? 'page' : undefined}>
            {words.shell.decks}
          </a>
        )}
        <a href="/marketplace">{words.shell.marketplace}</a>
        <a href="/docs" class="to-docs">
          {words.shell.docs}
        </a>
      </nav>
      {session.value ? <AccountMenu name={session.value.user.displayName} /> : <SignInLink />}
    </header>
  );
}

function SignInLink() {
  if (place.value.startsWith('/dashboard/sign-')) return null;
  return (
    <a class="button" href="/dashboard/sign-in">
      {words.shell.signIn}
    </a>
  );
}

function AccountMenu({ name }: { name: string }) {
  const { keys, usage, settings, shortcuts, signOut, account } = words.shell;
  const items = [
    { text: settings, href: '/dashboard/settings' },
    { text: keys, href: '/dashboard/keys' },
    { text: usage, href: '/dashboard/usage' },
    { text: shortcuts, onChoose: listShortcuts },
    { text: signOut, onChoose: () => void leave() },
  ];
  return (
    <Menu label={account} isNamed items={items} class="account">
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
