import { from } from 'bespoke';
import classes from 'bespoke-classes';
import hash from 'bespoke-hash';
import keys from 'bespoke-keys';

from('article', [classes(), keys(), hash()]);
