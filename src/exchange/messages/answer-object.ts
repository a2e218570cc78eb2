// [wire] An object of an answer.

/** An object of an answer: it may have more fields than the client knows. */
export interface AnswerObject {
  [detail: string]: unknown;
}
