import { words } from '../words/en';

export function SiteFooter() {
  const { product, home, docs, marketplace } = words.shell;
  return (
    <footer class="site-footer">
      <span>{product}</span>
      <a href="/">{home}</a>
      <a href="/marketplace">{marketplace}</a>
      <a href="/docs">{docs}</a>
    </footer>
  );
}
