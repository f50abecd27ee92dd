import { fuzz } from './fuzz';

fuzz({ requests: 40, nth: 1 });
