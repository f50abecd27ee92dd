import { forgetToken } from './access';
import { forgetDrafts } from './draft';
import { navigate, signInPath } from './navigation';
import { matchRoute } from './routes';
import { onOtherTab, readSession, session } from './session';

/** Follows what happens to the session in other tabs: one sign-in and one sign-out hold for all of them. */
export function followOtherTabs(): void {
  onOtherTab(({ isSignOut }) => {
    const before = session.value?.user.userId;
    readSession();
    const now = session.value?.user.userId;
    if (before === now) return;
    forgetToken();
    if (isSignOut) forgetDrafts();
    // This tab shows the decks of another person.
    if (before && now) location.reload();
    else if (before && !matchRoute(location.pathname).route.isPublic) navigate(signInPath(), { replace: true });
  });
}
