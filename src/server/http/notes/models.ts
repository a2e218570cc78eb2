// [coordinator] Notes on the routes of trainings, models and the questions about them, inference tokens.
import { KEYED, type RouteNote, TRAINING, UNKNOWN } from './route-note.ts';

export const MODEL_NOTES: Record<string, RouteNote> = {
  'POST /v1/federations/{federation}/trainings': {
    says: 'Queues a training on the newest bundles and labels of this moment. `config` changes the preset, which is `recommended` unless stated otherwise ([fusion.md](fusion.md)); `split` is a seed (1) or the ids of each part. With preset `auto` it searches for a config on the validation part, within `budget`, with what `config` says fixed; `ensemble` trains several models that are served as one. A refit (`refit`) learns one owner’s alignment anew from its newest bundle, which must be another than the model’s; it is split as the model was, and naming another split is refused. `promote` says when the new model answers by itself: `never`, `if-better` than the active one (a lower loss on the same validation samples and labels, and a ROC AUC that is no lower; the first model too, if an operator asked), or `always` (operators only). `workers` are the processes that take trainings now.',
    answer: '{"id": "…", "workers": 1}',
    errors: [
      ...UNKNOWN,
      'F3_TRAINING_INPUT',
      'F3_FUSE_GRAPH',
      'F3_FUSE_OWNER',
      'F3_MODEL_REFIT',
      'F3_MODEL_UNKNOWN',
      'F3_LABELS_BUDGET',
      'F3_LABELS_CONSENT',
      'F3_LABELS_PART',
      'F3_LABELS_SPLIT',
      'F3_QUOTA',
      'F3_TRAINING_MEMORY',
      ...KEYED,
    ],
  },
  'GET /v1/federations/{federation}/trainings': {
    says: 'Trainings, the newest first, `limit` (50, at most 200) of them, those before the one with the id `before`. `place` is where one that waits stands among all that wait.',
    answer:
      '{"trainings": [{"id": "…", "state": "running", "method": "f3", "fits": null, "refits": null, "owners": 12, "labels": 1, "requestedBy": "ops", "created": "…", "started": "…", "finished": null, "progress": {"epoch": 7, "epochs": 200, …}, "place": null, "model": null, "promotion": null, "error": null}], "next": null, "workers": 1}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/trainings/{id}': {
    says: 'State: queued, running, done, failed or cancelled; the model’s number and what became of it when done, the error when failed. While it is queued and `workers` is 0, nobody takes it. `curve` has the losses by epoch, at most 300 of them.',
    answer:
      '{"id": "…", "state": "done", "progress": {"epoch": 87, "trainLoss": 0.21, …}, "model": 2, "promotion": {"rule": "if-better", "promoted": false, "reason": "validation loss 0.5512 is not below 0.5301 of model 1", "before": 1}, "error": null, "workers": 1}',
    errors: TRAINING,
  },
  'POST /v1/federations/{federation}/trainings/{id}/cancel': {
    says: 'Ends it; one that runs ends within seconds.',
    answer: '{"id": "…", "state": "cancelled", …}',
    errors: [...TRAINING, 'F3_TRAINING_STATE'],
  },
  'GET /v1/federations/{federation}/trainings/{id}/events': {
    says: 'The same as server-sent events (`text/event-stream`), one for each change, until it is over. `points` are the epochs of the curve since the last event; the id of an event is the number of its last point, and with `Last-Event-ID` only later ones are sent.',
    answer:
      'data: {"state": "running", "epoch": 12, "trainLoss": 0.31, "validationLoss": 0.35, "bestEpoch": 11, "epochs": 500}',
    errors: TRAINING,
  },
  'GET /v1/federations/{federation}/models': {
    says: 'All versions with their scores and configuration. `state`: the active one answers, a former one did, a candidate never has. Of an ensemble `members` says how many models it is, and `config` is the first one’s.',
    answer:
      '{"models": [{"version": 1, "training": "…", "state": "active", "active": true, "created": "…", "activated": "…", "validation": {"accuracy": 0.94, …}, "test": {"accuracy": 0.93, …}, "config": {…}}]}',
    errors: UNKNOWN,
  },
  'GET /v1/federations/{federation}/models/{version}': {
    says: 'The model’s card: owners with the hashes of their bundles, classes, configuration, scores, SHA-256 of the weights. `model` is what the coordinator knows beyond it: who asked for it, which versions of bundles and labels it learned from, whether it answers.',
    answer:
      '{"format": "…", "owners": […], "classes": […], "weights": "…", …, "model": {"version": 2, "state": "candidate", "created": "…", "activated": null, "training": "…", "requestedBy": "control-room", "labels": 1, "bundles": {"plant-7": 2, …}}}',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/graph': {
    says: 'The graph between owners that the model learned, was given or froze: its `edges` (1000) strongest ones, at most 500,000, and the distribution of all. An edge is the positions of two owners in `owners` and its probability.',
    answer:
      '{"model": 1, "kind": "learned", "owners": ["plant-7", "plant-9", …], "pairs": 45, "mean": 0.31, "histogram": [{"from": 0, "to": 0.05, "count": 12}, …], "edges": [[0, 1, 0.9981], …]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_MODEL_GRAPH'],
  },
  'GET /v1/federations/{federation}/models/{version}/archive': {
    says: 'The model as a tar archive: a folder with `model.json` and `model.safetensors`, which `f3 predict`, `f3 model show` and `loadModel` read. Scores in the card are told as elsewhere. Each download stands in the audit log.',
    answer: 'application/x-tar',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/evaluation': {
    says: 'How good the model is on its validation part: scores with 95 % intervals, confusion, ROC and precision–recall curves, calibration, and what random absence costs. Of a large part a fixed choice of samples is scored. `told` says whether numbers are exact, rounded to `step` (curves then have 11 points and counts are rounded) or withheld, as the label holder’s rules have it.',
    answer:
      '{"model": 2, "part": "validation", "samples": 400, "of": 400, "classes": […], "owners": […], "told": {"exact": false, "step": 0.02, "withheld": false}, "scores": {"accuracy": 0.9, "f1": 0.9, "auc": 0.96, "prAuc": 0.94, "loss": 0.28}, "intervals": {"accuracy": [0.86, 0.92], …}, "confusion": [[180, 20], [20, 180]], "curves": [{"class": "calm", "roc": [[0, 0], …], "pr": […]}], "calibration": {"error": 0.04, "bins": […]}, "absence": [{"absent": 0.1, "f1": 0.88, …}]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_EVALUATION', 'F3_BUSY'],
  },
  'GET /v1/federations/{federation}/models/{version}/alignments/{owner}': {
    says: 'The matrix that turns an owner’s embeddings into the common space, row by row; a hard one also as a permutation. Above 128 rows or columns it is averaged in blocks.',
    answer:
      '{"model": 2, "owner": "plant-7", "kind": "soft", "rows": 16, "columns": 16, "values": [0.12, …], "permutation": null, "averaged": false}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_FUSE_OWNER'],
  },
  'POST /v1/federations/{federation}/models/{version}/what-if': {
    says: 'Scores and predictions of the validation part as if these owners were absent. `shift` is how far class probabilities move on average, and depends on no label. Up to 100 samples that change most are listed with predictions, never labels; with ids only for readers who are told everything.',
    answer:
      '{"model": 2, "absent": ["plant-7"], "samples": 400, "of": 400, "classes": […], "told": {…}, "base": {"auc": 0.96, …}, "scores": {"auc": 0.94, …}, "shift": 0.031, "flips": 10, "changed": [{"sample": "#1", "before": {"class": "calm", "probability": 0.61}, "after": {"class": "storm", "probability": 0.55}}]}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_FUSE_OWNER', 'F3_EVALUATION', 'F3_BUSY'],
  },
  'POST /v1/federations/{federation}/models/{version}/criticality': {
    says: 'Finds in the background which owners the model can least afford to lose: each alone, then five together (the costliest, then the one that costs most beside it, and so on, among the twelve costliest). It is kept with the model; asked again, it is answered as GET is.',
    answer:
      '{"model": 2, "state": "running", "done": 0, "of": 250, "told": null, "owners": [], "five": [], "error": null}',
    errors: ['F3_MODEL_UNKNOWN'],
  },
  'GET /v1/federations/{federation}/models/{version}/criticality': {
    says: 'How far that is, and what was found: how much the log loss rises and the AUC falls without an owner, and how far predictions move (`shift`). Owners come in the order of what they cost.',
    answer:
      '{"model": 2, "state": "done", "done": 250, "of": 250, "told": {…}, "owners": [{"owner": "plant-7", "loss": 0.02, "auc": 0.02, "shift": 0.031}, …], "five": [{"owner": "plant-7", …}, …], "error": null}',
    errors: ['F3_MODEL_UNKNOWN', 'F3_EVALUATION'],
  },
  'GET /v1/federations/{federation}/overlap': {
    says: 'Which samples the owners’ newest bundles have in common: per pair of owners (row by row, up to 200 owners), by how many owners saw a sample, and the most frequent groups. How many have a label is told roughly, and as 0 for few, unless the label holder lets the reader know everything.',
    answer:
      '{"owners": ["plant-7", "plant-9"], "samples": [4000, 3900], "labelled": [3000, 2950], "pairs": [4000, 3850, 3850, 3900], "sets": [{"owners": 1, "samples": 200}, …], "top": [{"owners": ["plant-7", "plant-9"], "size": 2, "samples": 3850}, …], "all": 4050, "allLabelled": 3020}',
    errors: [...UNKNOWN, 'F3_EVALUATION', 'F3_BUSY'],
  },
  'POST /v1/federations/{federation}/models/{version}/activate': {
    says: 'This version answers from now on: a candidate is promoted, a former one comes back. `reason`, if given, stands in the audit log.',
    answer: '{"activeModel": 1}',
    errors: [...UNKNOWN, 'F3_MODEL_UNKNOWN'],
  },
  'POST /v1/federations/{federation}/tokens': {
    says: 'Makes a static token that may predict and read the model’s inputs and outputs in this federation, and nothing else. The secret is answered this once; only its hash is kept. `days: null` for one that never expires.',
    answer: '{"id": "…", "name": "dashboard", "token": "f3t_…", "expires": "2026-08-01T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_TOKEN_EXISTS', 'F3_TOKEN_UNKNOWN', ...KEYED],
  },
  'GET /v1/federations/{federation}/tokens': {
    says: 'Tokens that are not revoked, by name; `lastUsed` is to the minute.',
    answer:
      '{"tokens": [{"id": "…", "name": "dashboard", "created": "…", "createdBy": "ops", "expires": "…", "lastUsed": "…", "expired": false}]}',
    errors: UNKNOWN,
  },
  'POST /v1/federations/{federation}/tokens/{id}/revoke': {
    says: 'The token is refused from now on, by all coordinators that share the database.',
    answer: '{"id": "…", "name": "dashboard", "revoked": "2026-05-02T12:00:00.000Z"}',
    errors: [...UNKNOWN, 'F3_TOKEN_UNKNOWN'],
  },
};
