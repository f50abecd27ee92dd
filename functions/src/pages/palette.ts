/** The colours of the pages that functions render: those of the site. */
export const palette = `
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2129; --quiet: #5a6270; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171c; --ink: #eceae4; --quiet: #a3abb8; } }
`;
