// A worker thread that answers, chatters, refuses, fails or ends, as it is asked to.

import { answerQuestions, tellNews } from '../../src/base/worker-thread.ts';
import { F3Error } from '../../src/errors.ts';

export type OddQuestion = number | 'refuse' | 'fail' | 'crash' | 'leave' | 'sleep' | 'chatter';

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
    case 'chatter':
      for (const news of ['first', 'second']) tellNews(news);
      return 0;
    case 'sleep':
      return new Promise<number>(() => undefined);
    default:
      return 2 * question;
  }
});
