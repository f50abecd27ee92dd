/** The script of the home page: the button that copies the commands. */
import { enableCopy } from './copy';

enableCopy();
