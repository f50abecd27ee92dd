import { fuzz } from './fuzz';

fuzz(40);
