/** The script of decks on origins of their own. */
import { start } from './start';

start();
