import { config } from '../config';
import { untranslated } from '../house/attributes';
import { noticeStyle } from './notice-style';
import { sitePage, sitePolicy } from './site-page';

/** What happened, and what the reader can do next. */
export interface Notice {
  heading: string;
  text: string;
  /** The page that the reader can go to: the marketplace, or an address with the words of its link. */
  action?: 'marketplace' | { url: string; label: string } | undefined;
}

/** Names the request of a page that reports an error. */
export const RequestId = ({ id }: { id: string }) => (
  <p class="quiet id">
    Request <code {...untranslated}>{id}</code>
  </p>
);

const addressOf = (action: NonNullable<Notice['action']>) =>
  action === 'marketplace' ? `${config.marketplaceUrl()}/marketplace` : action.url;

/** A page with a message instead of content: errors at all addresses, and confirmations. */
export const noticePage = {
  /** The Content-Security-Policy. `framing` is the directive that says where the page may stand. */
  policy: (framing?: string) => sitePolicy(null, [], { style: noticeStyle, ...(framing !== undefined && { framing }) }),

  /** `requestId` finds the request in the log of the operator. */
  html: ({ heading, text, action }: Notice, requestId?: string) =>
    sitePage({
      title: heading,
      isFound: false,
      style: noticeStyle,
      main: (
        <main class="notice">
          <h1>{heading}</h1>
          <p class="quiet">{text}</p>
          {action && (
            <p class="choices">
              <a class="button" href={addressOf(action)}>
                {action === 'marketplace' ? 'To the marketplace' : action.label}
              </a>
            </p>
          )}
          {requestId !== undefined && <RequestId id={requestId} />}
        </main>
      ),
    }),
};
