// [coordinator] The thread behind `TokenThread`: checks a batch of tokens.
import type { JWK } from 'jose';
import { answerQuestions } from '../../base/worker-thread.ts';
import { type ErrorCode, errorCode } from '../../errors.ts';
import { type ReceivedRequest, type TokenUse, verifyRequest } from '../../exchange/identity/request-token.ts';

export interface TokenQuestion {
  token: string;
  key: JWK;
  received: ReceivedRequest;
}

/** What the ledger needs to know of a valid token, or why the token is refused. */
export type TokenAnswer = TokenUse | { code: ErrorCode; message: string };

answerQuestions<TokenQuestion[], TokenAnswer[]>((tokens) =>
  Promise.all(
    tokens.map(async ({ token, key, received }): Promise<TokenAnswer> => {
      try {
        return await verifyRequest(token, key, received);
      } catch (error) {
        const code = errorCode(error);
        if (!code) throw error;
        return { code, message: (error as Error).message };
      }
    }),
  ),
);
