import { config } from '../config';
import { noticeStyle } from './notice-style';
import { sitePage } from './site-page';

/** The page behind the link of the mail to a former address. It shows no address. */
export function takeBackPage({ token, isTakenBack }: { token: string; isTakenBack: boolean }): string {
  const title = 'The address of your account';
  return sitePage({
    title,
    isFound: false,
    style: noticeStyle,
    main: (
      <main class="notice">
        <h1>{title}</h1>
        {isTakenBack ? (
          <>
            <p class="said" role="status">
              Your account has its earlier address again.
            </p>
            <p>
              Every device is signed out, every API key is revoked, and every webhook is disabled. Sign in with the
              earlier address.
            </p>
          </>
        ) : (
          <>
            <p>
              The address of your account was changed. If that was not you, take the change back: the account gets its
              earlier address again, every device is signed out, every API key is revoked, and every webhook is
              disabled.
            </p>
            <form class="choices" method="post" action={`${config.viewerUrl()}/codes/${token}`}>
              <button>Take the change back</button>
            </form>
          </>
        )}
      </main>
    ),
  });
}
