import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { name } from '../../../../functions/src/house/tokens.json';
import { isolated } from '../isolated';
import { shown } from '../navigation';

/** Keeps the place of a line that is not loaded yet. */
export const NBSP = '\u00a0';

interface HeadingProps {
  title: string;
  /** The list to which the page belongs: a way back above the title. */
  trail?: { href: string; text: string };
  /** The part of the page that is shown, for the title of the tab. */
  section?: string | undefined;
  /** One line below the title. */
  about?: ComponentChildren;
  /** Buttons beside the title. */
  children?: ComponentChildren;
}

/** The page whose heading has got the focus. The first page keeps the focus of the browser. */
let focused: string | undefined;

/** The title of a page, which is the title of the tab, too. After a change of the page it gets the focus. */
export function Heading({ title, trail, section, about, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = [section, isolated(title), name].filter(Boolean).join(' · ');
  }, [section, title]);
  useLayoutEffect(() => {
    const key = shown.peek()?.key;
    if (focused !== undefined && focused !== key) heading.current?.focus({ preventScroll: true });
    focused = key;
  }, []);
  return (
    <header class="heading">
      <div>
        {trail && (
          <a class="trail" href={trail.href}>
            {trail.text}
          </a>
        )}
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {about && <p class="quiet">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}
