import { checkRecurrent } from '../../../test/support/check-recurrent.ts';
import * as reference from '../reference/lstm.ts';
import { lstm } from './lstm.ts';

checkRecurrent('lstm', 4, lstm, reference.lstm);
