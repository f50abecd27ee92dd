/** The rules of all calls: the description of the OpenAPI document and the beginning of docs/api.md. */
export const intro = `The service hosts presentations.
A *deck* is a presentation: static files with one entry HTML file. Every commit adds an immutable *version*. A *link*
opens a deck without an account. The secret of a link is a *share token*. The *owner* of a deck is the user who created
it. A *dev* is a user whom the owner invited to edit it. A *listing* shows one version of a deck in the marketplace.

**Addresses.** All paths below follow the base address of the service.

**Keys.** Send \`Authorization: Bearer <API_KEY>\`. A key has scopes: \`presentations:read\`, \`presentations:write\`,
\`marketplace:publish\`. An admin key passes every scope and every check of the owner. It cannot create decks, listings or
keys.

**Bodies.** A request body is a JSON object in UTF-8, nested at most 64 deep, with at most 250 000 values. Each endpoint
names its limit in bytes. \`Content-Encoding\` may be gzip, deflate or br: the limit counts the decompressed bytes. Unknown
fields are ignored. Uploads are \`multipart/form-data\`. A body must arrive within 15 seconds, plus one second for each
16 KB that have arrived, and before the timeout of the endpoint. A later body is \`invalid-argument\` and may be repeated.

**Texts.** Names, titles, descriptions and messages are stored in NFC without surrounding spaces, then measured. A text
needs a character that people can see; an empty optional text counts as absent. Refused are control characters (line
breaks are allowed in descriptions and messages), invalid Unicode, tag characters, and embeddings and isolates of the
direction that are not closed in their line.

**Answers.** A success is \`{"success": true, "data": {…}}\`. An error is \`{"success": false, "error": {…}}\` with the
fields \`code\`, \`message\`, \`nextAction\`, \`details\` and \`requestId\`. A validation error lists every problem in
\`details.errors\`. Times are ISO 8601 in UTC with milliseconds. The header \`X-Request-Id\` identifies each request.

**Limits.** The status 429 carries \`Retry-After\` when waiting helps. The platform limits a request to 32 MB. It may
answer 429, 500, 502, 503 or 504 itself, without \`X-Request-Id\` and without JSON. Repeat such a call later.

**Browsers.** Every endpoint except deckSite and dashboardSession answers requests from every origin (CORS) and
\`OPTIONS\` with 204. Answers also have headers that instruct browsers: \`Access-Control-*\`, \`Content-Security-Policy\`, \`Cross-Origin-*\`,
\`Origin-Agent-Cluster\`, \`Permissions-Policy\`, \`Referrer-Policy\`, \`Vary\`, \`X-Content-Type-Options\`, \`X-Robots-Tag\`.`;
