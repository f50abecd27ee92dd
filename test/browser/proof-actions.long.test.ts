import { proveActions } from './proof-actions';

proveActions();
