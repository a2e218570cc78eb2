// A worker thread that answers, refuses, fails or ends, as it is asked to.
import { F3Error } from '../../src/errors.ts';
import { answerQuestions } from '../../src/worker-thread.ts';

export type OddQuestion = number | 'refuse' | 'fail' | 'crash' | 'leave' | 'sleep';

answerQuestions<OddQuestion, number>(async (question) => {
  switch (question) {
    case 'refuse':
      throw new F3Error('F3_MODEL_FORMAT', 'model: must be another');
    case 'fail':
      throw new RangeError('out of luck');
    case 'crash':
      setImmediate(() => {
        throw new Error('nobody caught this');
      });
      return new Promise<number>(() => undefined);
    case 'leave':
      process.exit(3);
      break;
    case 'sleep':
      return new Promise<number>(() => undefined);
    default:
      return 2 * question;
  }
});
