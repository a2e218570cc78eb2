// [coordinator] The thread behind `TrainingThread`: runs one training, from stored bytes to an encoded model.

import { PacedReports } from '../../base/paced-reports.ts';
import { answerQuestions, sendReport } from '../../base/worker-thread.ts';
import type { EncodedModel } from '../../fuse/model/fused-card.ts';
import type { PartIds } from './part-rules.ts';
import { SharesTrainingJob } from './shares-training-job.ts';
import type { StoredBundle } from './training-input.ts';
import {
  type LearnOptions,
  type ReportedProgress,
  type RunnableJob,
  TrainingJob,
  type TrainingStart,
} from './training-job.ts';

export type TrainingQuestion =
  | { kind: 'begin'; start: TrainingStart }
  | { kind: 'bundle'; bundle: StoredBundle }
  | { kind: 'learn'; options: LearnOptions }
  | { kind: 'checkpoint-written' }
  | { kind: 'stop' };

/** The model, as the answer to `learn` if the training was not stopped. */
export type TrainingAnswer = EncodedModel | undefined;

export type { ReportedProgress };
export type ThreadReport =
  | { kind: 'parts'; ids: PartIds }
  /** `earlier`: reports since the last message, for the curve. */
  | { kind: 'epoch'; report: ReportedProgress; earlier: ReportedProgress[] }
  | { kind: 'fit'; name: string; bytes: Uint8Array }
  | { kind: 'checkpoint'; learningRate: number; bytes: Uint8Array };

/** A tiny training ends a thousand epochs a second, and nobody reads that many. Each report costs a write to the database. */
const REPORT_MS = 250;

let job: RunnableJob | undefined;
let earlier: ReportedProgress[] = [];
const epochs = new PacedReports<ReportedProgress>(
  (report) => {
    sendReport<ThreadReport>({ kind: 'epoch', report, earlier: earlier.slice(0, -1) });
    earlier = [];
  },
  { intervalMs: REPORT_MS },
);

answerQuestions<TrainingQuestion, TrainingAnswer>(async (question) => {
  switch (question.kind) {
    case 'begin':
      job = question.start.shares ? new SharesTrainingJob(question.start) : new TrainingJob(question.start);
      return undefined;
    case 'bundle':
      job?.add(question.bundle);
      return undefined;
    case 'learn':
      try {
        return await job?.learn(question.options, {
          onParts: (ids) => sendReport<ThreadReport>({ kind: 'parts', ids }),
          onEpoch: (report) => {
            earlier.push(report);
            epochs.add(report);
          },
          onFit: (name, bytes) => sendReport<ThreadReport>({ kind: 'fit', name, bytes }, [bytes.buffer]),
          onCheckpoint: (learningRate, bytes) =>
            sendReport<ThreadReport>({ kind: 'checkpoint', learningRate, bytes }, [bytes.buffer]),
        });
      } finally {
        epochs.flush();
      }
    case 'checkpoint-written':
      job?.markCheckpointWritten();
      return undefined;
    case 'stop':
      job?.stop();
      return undefined;
  }
});
