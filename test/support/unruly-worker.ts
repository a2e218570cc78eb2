// A worker thread that answers, chatters, refuses, fails or ends, as it is asked to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerQuestions, sendReport } from '../../src/base/worker-thread.ts';
import { F3Error } from '../../src/errors.ts';

export type UnrulyQuestion = number | 'refuse' | 'fail' | 'read' | 'crash' | 'leave' | 'sleep' | 'chatter';

answerQuestions<UnrulyQuestion, number>(async (question) => {
  switch (question) {
    case 'refuse':
      throw new F3Error('F3_MODEL_FORMAT', 'model: must be another');
    case 'fail':
      throw new RangeError('out of luck');
    case 'read':
      return readFileSync(join(import.meta.dirname, 'no such file')).length;
    case 'crash':
      setImmediate(() => {
        throw new Error('nobody caught this');
      });
      return new Promise<number>(() => undefined);
    case 'leave':
      process.exit(3);
      break;
    case 'chatter':
      for (const report of ['first', 'second']) sendReport(report);
      return 0;
    case 'sleep':
      return new Promise<number>(() => undefined);
    default:
      return 2 * question;
  }
});
