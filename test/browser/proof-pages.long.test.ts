import { everyLook } from './fits';
import { proofPages } from './proof-pages';
import { provePages } from './proof-reading';

provePages(proofPages, { looks: everyLook });
