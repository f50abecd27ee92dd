// How Markdown becomes HTML: headings with ids, tables and code that can be scrolled by keyboard, code that
// no browser translates, links to endpoints.
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import markdownIt from 'markdown-it';

for (const [language, grammar] of Object.entries({ bash, json, typescript, yaml }))
  highlighter.registerLanguage(language, grammar);

/** The code with an element around each word that has a colour. Code of another language stays as it is. */
const highlight = (code, language) =>
  highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : '';

/** The id of a heading. The id of a name such as `OTP_INVALID` is the name. */
export function idOf(heading) {
  const text = heading.replaceAll('`', '');
  return /^[\w-]+$/.test(text)
    ? text
    : text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-|-$/g, '');
}

/** A function that renders Markdown. A name of `endpoints` that stands in a text becomes a link to its page. */
export function markdownWith(endpoints) {
  const md = markdownIt({ html: true, typographer: false, highlight });
  const { rules } = md.renderer;
  const name = new RegExp(`\\b(${endpoints.join('|')})\\b`, 'g');

  rules.text = (tokens, i, options, env) => {
    const text = md.utils.escapeHtml(tokens[i].content);
    const isInLink = tokens.slice(0, i).reduce((depth, { type }) => depth + (LINK_STEPS[type] ?? 0), 0) > 0;
    // A long name in a heading breaks between its words.
    if (env.isHeading) return text.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>');
    if (isInLink) return text;
    return text.replace(name, (each) => (each === env.self ? each : `<a href="/docs/api/${each}">${each}</a>`));
  };
  rules.heading_open = (tokens, i, options, env, self) => {
    env.isHeading = true;
    env.ids ??= new Map();
    const id = idOf(tokens[i + 1].content);
    const count = (env.ids.get(id) ?? 0) + 1;
    env.ids.set(id, count);
    tokens[i].attrSet('id', count === 1 ? id : `${id}-${count}`);
    return self.renderToken(tokens, i, options);
  };
  rules.heading_close = (tokens, i, options, env, self) => {
    env.isHeading = false;
    return self.renderToken(tokens, i, options);
  };
  // Pictures of the guides have the size of the window that scripts/pictures.mjs opens.
  rules.image = (tokens, i, options, env, self) => {
    for (const [name, value] of Object.entries({ width: '1280', height: '800', loading: 'lazy' }))
      tokens[i].attrSet(name, value);
    tokens[i].attrSet('alt', tokens[i].content);
    return self.renderToken(tokens, i, options);
  };
  // What scrolls must be reachable by keyboard.
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  rules.table_close = () => '</table></div>';
  const { fence, code_inline: inline } = rules;
  const attributes = 'tabindex="0" role="group" aria-label="Code" translate="no"';
  rules.fence = (...args) => fence(...args).replace('<pre>', `<pre ${attributes}>`);
  rules.code_inline = (...args) => inline(...args).replace('<code>', '<code translate="no">');
  return (text, self) => md.render(text, { self });
}

const LINK_STEPS = { link_open: 1, link_close: -1 };
