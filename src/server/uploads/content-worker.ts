// [coordinator] The thread behind `ContentThread`: checks one upload at a time, from chunks that it asks for.
import { answerQuestions } from '../../base/worker-thread.ts';
import type { JsonObject } from '../../storage/schema.ts';
import { type ContentQuestion, checkContent } from './check-content.ts';
import { ContentFeed, type Wanted } from './content-feed.ts';

export type ContentMessage =
  | { kind: 'begin'; question: ContentQuestion }
  /** Without bytes there are no more. */
  | { kind: 'chunk'; bytes: Uint8Array | undefined };

/** What the check wants, or what it found. What it refuses is thrown. */
export type ContentAnswer = { wanted: Exclude<Wanted, 'nothing'> } | { summary: JsonObject };

let feed: ContentFeed | undefined;
let outcome: Promise<JsonObject> | undefined;

answerQuestions<ContentMessage, ContentAnswer>(async (message) => {
  if (message.kind === 'begin') {
    const own = new ContentFeed();
    feed = own;
    outcome = checkContent(message.question, (start) => own.bytes(start)).finally(() => own.finish());
    outcome.catch(() => undefined); // whoever asked gets the error below
  } else feed?.give(message.bytes);
  const wanted = await (feed as ContentFeed).wanted();
  if (wanted !== 'nothing') return { wanted };
  return { summary: await (outcome as Promise<JsonObject>) };
});
