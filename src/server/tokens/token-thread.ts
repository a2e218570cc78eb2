// [coordinator] Checks signatures in a thread of its own, a few at a time. Checking them where requests are served, or waking a
// thread for each, would cost a third of the predictions per second (`npm run bench -- server predict`).
import type { JWK } from 'jose';
import { Batches } from '../../base/batches.ts';
import { WorkerThread } from '../../base/worker-thread.ts';
import { F3Error } from '../../errors.ts';
import type { RequestHead, VerifiedToken } from '../../exchange/identity/request-token.ts';
import type { TokenAnswer, TokenQuestion } from './token-worker.ts';

/** One batch is checked while the next one fills. With more at a time, the thread would wake for single tokens. */
const BATCHES = { maxItems: 16, maxUnderWay: 2 };

export class TokenThread {
  #thread: WorkerThread<TokenQuestion[], TokenAnswer[]> | undefined;
  readonly #batches = new Batches((tokens: TokenQuestion[]) => this.#running().ask(tokens), BATCHES);

  /** Throws what `verifyToken` throws. */
  async verify(token: string, key: JWK, received: RequestHead, now: Date): Promise<VerifiedToken> {
    const answer = await this.#batches.add({ token, key, received, now });
    if ('code' in answer) throw new F3Error(answer.code, answer.message);
    return answer;
  }

  async close(): Promise<void> {
    await this.#thread?.dispose();
  }

  /** Starts the thread if there is none, or if it has ended by itself. */
  #running(): WorkerThread<TokenQuestion[], TokenAnswer[]> {
    const onFailure = () => {
      this.#thread = undefined;
    };
    this.#thread ??= new WorkerThread(new URL('./token-worker', import.meta.url), { name: 'f3-tokens', onFailure });
    return this.#thread;
  }
}
