import { compact } from '../house/style';
import { baseStyle } from './base-style';

/** The style sheet of notices and of the page about mails. */
export const noticeStyle = compact(`${baseStyle}
.notice { max-width: 44rem; padding-top: clamp(2.5rem, 14vh, 8rem); }
.notice > * + * { margin-top: 1rem; }
.notice > section { margin-top: 2.5rem; }
.notice > .choices { margin-top: 1.75rem; }
.notice .said { padding: .75rem 1rem; border: 1px solid var(--good);
  border-radius: var(--radius); background: var(--card); }
.notice code { font: .8125rem var(--mono); }
.notice .id { margin-top: 2.5rem; font-size: var(--text-small); }
`);
