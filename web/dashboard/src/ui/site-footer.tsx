import { links, name } from '../../../../functions/src/house/tokens.json';
import { words } from '../words/en';

export function SiteFooter() {
  const { more, pages } = words.footer;
  return (
    <footer class="site-footer">
      <a href="/">{name}</a>
      <nav aria-label={more}>
        {links.footer.map(({ text, path }) => (
          <a key={path} href={path}>
            {pages[path] ?? text}
          </a>
        ))}
      </nav>
    </footer>
  );
}
