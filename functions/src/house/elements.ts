/**
 * Elements of pages as data. The functions write them as HTML, the dashboard makes elements of its framework of them:
 * its policy forbids markup from texts. `pages/elements.ts` and `web/dashboard/src/ui/elements.ts` do it.
 */
export interface Element {
  tag: string;
  /** An attribute that is undefined is left out. */
  attributes: Readonly<Record<string, string | number | undefined>>;
  children: readonly Child[];
}
export type Child = Element | string | false;

export const element = (tag: string, attributes: Element['attributes'] = {}, ...children: Child[]): Element => ({
  tag,
  attributes,
  children,
});
