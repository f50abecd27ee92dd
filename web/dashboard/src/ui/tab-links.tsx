import { useEffect, useRef } from 'preact/hooks';
import './tab-links.css';

interface TabLinksProps {
  /** What the pages are about, for screen readers. */
  label: string;
  tabs: readonly { href: string; text: string }[];
  /** The `href` of the shown page. */
  current: string;
}

/** Links to the pages of one thing. Each has an address of its own. */
export function TabLinks({ label, tabs, current }: TabLinksProps) {
  const nav = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the page.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, text }) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
