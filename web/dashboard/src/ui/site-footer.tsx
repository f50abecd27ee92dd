import { name } from 'virtual:house';
import { words } from '../words/en';

export function SiteFooter() {
  const { home, docs, marketplace } = words.shell;
  return (
    <footer class="site-footer">
      <span>{name}</span>
      <a href="/">{home}</a>
      <a href="/marketplace">{marketplace}</a>
      <a href="/docs">{docs}</a>
    </footer>
  );
}
