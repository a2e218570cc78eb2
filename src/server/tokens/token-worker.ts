// [coordinator] The thread behind `TokenThread`: checks a batch of tokens.
import type { JWK } from 'jose';
import { answerQuestions } from '../../base/worker-thread.ts';
import { type ErrorCode, errorCode } from '../../errors.ts';
import { type RequestHead, type VerifiedToken, verifyToken } from '../../exchange/identity/request-token.ts';

export interface TokenQuestion {
  token: string;
  key: JWK;
  received: RequestHead;
  /** The time by which the token is judged. */
  now: Date;
}

/** A valid token, or why the token is refused. */
export type TokenAnswer = VerifiedToken | { code: ErrorCode; message: string };

answerQuestions<TokenQuestion[], TokenAnswer[]>((tokens) =>
  Promise.all(
    tokens.map(async ({ token, key, received, now }): Promise<TokenAnswer> => {
      try {
        return await verifyToken(token, key, received, now);
      } catch (error) {
        const code = errorCode(error);
        if (!code) throw error;
        return { code, message: (error as Error).message };
      }
    }),
  ),
);
