/**
 * The content of an element that is not escaped: a style sheet, a script, or HTML that the build of the site made. Text
 * of a request or a record must never come here.
 */
// eslint-disable-next-line no-restricted-syntax -- Everything else is written past JSX with this function.
export const raw = (text: string) => ({ dangerouslySetInnerHTML: { __html: text } });

/**
 * A value as JSON, for a script element that holds data. The text of the value cannot end the element, or begin a
 * comment in it.
 */
export const rawJson = (value: unknown) =>
  raw(JSON.stringify(value).replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`));

/**
 * For a text that is data, such as a path or a command. The types of Preact know only `false`, which it does not write.
 */
export const untranslated: object = { translate: 'no' };
