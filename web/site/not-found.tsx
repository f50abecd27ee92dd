/** The main part of the page at an address that does not exist. */
export const NotFound = () => (
  <main id="content">
    <h1>Page not found</h1>
    <p class="quiet">
      The address may be incomplete. Share links are long, and mail programs can cut them. Copy the whole link and try
      again.
    </p>
    <p class="actions">
      <a class="button" href="/">
        Go to the start page
      </a>
      <a class="button plain" href="/docs">
        Read the documentation
      </a>
    </p>
  </main>
);
