import type { Child } from '../house/elements';
import { markup, trusted, type Markup } from '../values/markup';

/** Elements of HTML that have no end tag. */
const voidTags = new Set(['img']);

/** An element of the house as HTML. Its texts and the values of its attributes are escaped. */
export function shown(child: Child): Markup | string | false {
  if (typeof child !== 'object') return child;
  const { tag, attributes, children } = child;
  const parts = Object.entries(attributes).map(
    ([name, value]) => value !== undefined && markup` ${trusted(name)}="${value}"`,
  );
  const start = markup`<${trusted(tag)}${parts}>`;
  return voidTags.has(tag) ? start : markup`${start}${children.map(shown)}</${trusted(tag)}>`;
}
