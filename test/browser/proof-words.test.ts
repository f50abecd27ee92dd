import { somePages } from './proof-pages';
import { proveWords } from './proof-translation';

proveWords(somePages);
