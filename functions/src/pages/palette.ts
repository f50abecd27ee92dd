/** The colours of the pages that the functions render: the same as in web/index.html. */
export const palette = `
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2129; --quiet: #5a6270; --accent: #b3401f;
  --card: #ffffff; --line: #e2dfd7; --edge: #8b8678; --code: #1d2129; --code-ink: #f3efe6; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171c; --ink: #eceae4; --quiet: #a3abb8; --accent: #ff9a76;
  --card: #1c2027; --line: #2c323c; --edge: #6c7686; --code: #0d0f13; --code-ink: #eceae4; } }
`;
