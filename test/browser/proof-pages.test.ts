import { somePages } from './proof-pages';
import { provePages } from './proof-reading';

provePages(somePages);
