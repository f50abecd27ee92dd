import { links, name } from 'virtual:house';
import { words } from '../words/en';

export function SiteFooter() {
  return (
    <footer class="site-footer">
      <a href="/">{name}</a>
      <nav aria-label={words.shell.more}>
        {links.footer.map(({ text, path }) => (
          <a key={path} href={path}>
            {text}
          </a>
        ))}
      </nav>
    </footer>
  );
}
