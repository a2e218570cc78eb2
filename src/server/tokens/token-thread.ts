// [coordinator] Signatures are checked in a thread of their own, a few at a time: to check them where requests are served, or to
// wake a thread for each, takes a third of the predictions per second (`npm run bench -- server predict`).
import type { JWK } from 'jose';
import { Batches } from '../../base/batches.ts';
import { WorkerThread } from '../../base/worker-thread.ts';
import { F3Error } from '../../errors.ts';
import type { ReceivedRequest, TokenUse } from '../../exchange/identity/request-token.ts';
import type { TokenAnswer, TokenQuestion } from './token-worker.ts';

/** One is checked while the next gathers: more at a time would wake the thread for single tokens. */
const BATCHES = { maxItems: 16, maxUnderWay: 2 };

export class TokenThread {
  #thread: WorkerThread<TokenQuestion[], TokenAnswer[]> | undefined;
  readonly #batches = new Batches((tokens: TokenQuestion[]) => this.#running().ask(tokens), BATCHES);

  /** Throws what `verifyRequest` throws. */
  async verify(token: string, key: JWK, received: ReceivedRequest): Promise<TokenUse> {
    const answer = await this.#batches.add({ token, key, received });
    if ('code' in answer) throw new F3Error(answer.code, answer.message);
    return answer;
  }

  async close(): Promise<void> {
    await this.#thread?.dispose();
  }

  /** One that has ended by itself is replaced. */
  #running(): WorkerThread<TokenQuestion[], TokenAnswer[]> {
    const onFailure = () => {
      this.#thread = undefined;
    };
    this.#thread ??= new WorkerThread(new URL('./token-worker', import.meta.url), { name: 'f3-tokens', onFailure });
    return this.#thread;
  }
}
