import { checkRecurrent } from '../../../test/support/check-recurrent.ts';
import * as reference from '../reference/gru.ts';
import { gru } from './gru.ts';

checkRecurrent('gru', 3, gru, reference.gru);
