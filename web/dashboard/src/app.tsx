import { isLoading, loadError, shown } from './navigation';
import 'virtual:house.css';
import './style/base.css';
import './style/controls.css';
import './style/layout.css';
import { Confirmation } from './ui/confirm';
import { ConnectionNotice } from './ui/connection-notice';
import { PageError } from './ui/page-error';
import { Skeleton } from './ui/skeleton';
import { SiteFooter } from './ui/site-footer';
import { SiteHeader } from './ui/site-header';
import { Shortcuts } from './ui/shortcuts';
import { Toasts } from './ui/toast';
import { words } from './words/en';

/** The frame of every page: header, page, footer, and what lies above them. */
export function App() {
  return (
    <>
      <a class="skip" href="#content">
        {words.shell.skip}
      </a>
      <SiteHeader />
      <ConnectionNotice />
      <main id="content" tabIndex={-1} aria-busy={isLoading.value}>
        <Outlet />
      </main>
      <SiteFooter />
      <Toasts />
      <Confirmation />
      <Shortcuts />
    </>
  );
}

function Outlet() {
  if (loadError.value) return <PageError />;
  if (!shown.value) return <Skeleton label={words.shell.loading} lines={6} />;
  const { Page, key, params, query } = shown.value;
  return <Page key={key} params={params} query={query} />;
}
