import { fuzz } from './fuzz';

fuzz({ requests: 2, nth: 48 });
