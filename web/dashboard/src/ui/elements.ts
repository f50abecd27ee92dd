import { h, type ComponentChild } from 'preact';
import type { Child } from '../../../../functions/src/house/elements';

/** An element of the house as an element of Preact. */
export const shown = (child: Child): ComponentChild =>
  typeof child === 'object' ? h(child.tag, child.attributes, child.children.map(shown)) : child;
