import { attempt } from '../attempt';
import { bySelf, moverOf, type Mover, type Shown } from './move';
import { page } from './page';
import { said } from './said';
import type { Adapter, Slide } from './slide';
import { tools } from './tools';

/** The slide that the deck has told itself. */
let told: Slide | undefined;
addEventListener('deck:slide', (event) => attempt(() => (told = said(event) ?? told)), true);

/** Whether the deck tells its slides itself. */
export const isTold = (): boolean => told !== undefined;

/** The adapter of the tool that made the page. */
export const toolOf = (): Adapter | undefined => tools.find((each) => attempt(each));

/** What the page shows now. */
export const readShown = (): Shown | undefined => told ?? attempt(() => (toolOf() ?? page)());

/** How the page is moved. */
export const moverShown = (): Mover => (told ? bySelf : moverOf(toolOf() ?? page));
