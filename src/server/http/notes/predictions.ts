// [coordinator] Notes on the routes of predictions, live samples, the Open Inference Protocol, health.
import { MODEL, type RouteNote, UNKNOWN } from './route-note.ts';

export const PREDICTION_NOTES: Record<string, RouteNote> = {
  'POST /v1/federations/{federation}/predict': {
    says: 'Predicts up to 10,000 samples with whoever is given. JSON `{"samples": [{"id": "s1", "embeddings": {"plant-7": [0.1, …]}}], "graphs": "sampled" | "mean"}`, or an Arrow stream (`application/vnd.apache.arrow.stream`) with columns sample, owner, embedding. An owner that is left out is absent. In a federation on shares samples are those that owners have pushed, `{"samples": [{"id": "s1"}], "without": ["plant-7"]}`, and only their logits are opened, to the coordinator. An ensemble’s predictions have an `uncertainty`, too: the standard deviation between its members of the named class’s probability.',
    answer:
      '{"model": 1, "classes": ["calm", "storm"], "predictions": [{"sample": "s1", "class": "storm", "probabilities": [0.2, 0.8], "owners": ["plant-7"]}]}',
    errors: [
      ...MODEL,
      'F3_BUNDLE_FORMAT',
      'F3_BUNDLE_COLUMN',
      'F3_BUNDLE_DUPLICATE',
      'F3_SHARES_AWAY',
      'F3_SHARES_ONLY',
    ],
  },
  'GET /v1/federations/{federation}/live/events': {
    says: 'Predictions as this coordinator makes them, live ones and those of `predict`, as server-sent events: at most 20 a second with up to 100 predictions each, the newest; `skipped` says how many were left out. At first the last ones are sent, with `Last-Event-ID` those after it. The stream ends after `seconds`. Of several coordinators each tells of its own predictions.',
    answer:
      'data: {"classes": ["calm", "storm"], "predictions": [{"number": 7, "at": "…", "sample": "2026-05-01T12:00", "model": 1, "source": "live", "class": "calm", "probabilities": [0.93, 0.07], "probability": 0.93, "present": 11, "owners": 12, "absent": ["plant-7"], "latencyMs": 310, "isLate": true, "canExplain": true}], "skipped": 0}',
    errors: [...UNKNOWN, 'F3_BUSY'],
  },
  'GET /v1/federations/{federation}/live/{sample}/explanation': {
    says: 'Which owners pushed a prediction which way: the active model is asked again without each owner in turn, so effects are exact for this model and need not add up. For the last 200 samples that this coordinator predicted.',
    answer:
      '{"sample": "…", "model": 1, "method": "leave-one-out", "class": "calm", "classes": […], "base": 0.93, "owners": [{"owner": "plant-9", "effect": 0.12}, …], "absent": ["plant-7"]}',
    errors: ['F3_SAMPLE_UNKNOWN', 'F3_MODEL_NONE', 'F3_EVALUATION'],
  },
  'POST /v1/federations/{federation}/live/{sample}': {
    says: 'An owner’s embedding of a sample that others see too. Answers when all owners of the model that are not revoked have sent theirs, or `quorum` of them, or after `deadlineMs`. A sample id that is a time may be written in any form of ISO 8601: owners meet at the same moment, and each is answered with the id as it wrote it. An `uncertainty` is answered as by `predict`. In a federation on shares `share` takes the place of `embedding`: the ticket under which every entity holds its share, the width, and the id of its codes where it is coded.',
    answer:
      '{"sample": "s1", "model": 1, "classes": […], "class": "storm", "probabilities": [0.2, 0.8], "owners": ["plant-7", "plant-9"]}',
    errors: [...MODEL, 'F3_QUOTA', 'F3_SHARES_AWAY', 'F3_SHARES_ONLY', 'F3_SHARES_STORE'],
  },
  'GET /v2': {
    says: 'Open Inference Protocol: the server and what it can beyond the protocol. Errors below this path carry their message as `error` too.',
    answer: '{"name": "f3", "version": "0.1.0", "extensions": ["binary_tensor_data"]}',
  },
  'GET /v2/models/{federation}': {
    says: 'Open Inference Protocol: the active model; an input per owner.',
    answer:
      '{"name": "grid", "versions": ["1"], "platform": "f3", "inputs": [{"name": "plant-7", "datatype": "FP32", "shape": [-1, 16]}], "outputs": […]}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE'],
  },
  'GET /v2/models/{federation}/ready': {
    says: 'Open Inference Protocol: 200 if there is an active model and it is loaded, a refusal otherwise.',
    answer: '{"name": "grid", "ready": true}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE'],
  },
  'POST /v2/models/{federation}/infer': {
    says: `Open Inference Protocol. An input of shape [sample, width] is the owner’s of that name; owners that are not among the inputs are absent. An input named \`embeddings\` of shape [sample, owner, width] holds all owners of the model, if they have one width, in the order in which \`GET /v2/models/{federation}\` lists them. Numbers stand in \`data\`, or as little-endian float32 behind the JSON, in the order of the inputs: then each such input has the parameter \`binary_data_size\`, the header \`Inference-Header-Content-Length\` says how many bytes are JSON, and the type is \`application/octet-stream\`. Both forms get the same answer, to the last bit. \`parameters.graphs: mean\` takes the mean graph instead of sampled ones: one pass, several times cheaper. \`outputs\` may name those that are wanted. \`npm run bench -- server\` measures both.`,
    answer:
      '{"model_name": "grid", "model_version": "1", "outputs": [{"name": "probabilities", "datatype": "FP32", "shape": [3, 2], "data": […]}, {"name": "class", "datatype": "BYTES", "shape": [3], "data": […]}]}',
    errors: MODEL,
  },
  'GET /v2/models/{federation}/versions/{version}': {
    says: 'As without a version, which must be the active one.',
    answer: '{"name": "grid", "versions": ["1"], …}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE', 'F3_MODEL_UNKNOWN'],
  },
  'GET /v2/models/{federation}/versions/{version}/ready': {
    says: 'As without a version, which must be the active one.',
    answer: '{"name": "grid", "ready": true}',
    errors: [...UNKNOWN, 'F3_MODEL_NONE', 'F3_MODEL_UNKNOWN'],
  },
  'POST /v2/models/{federation}/versions/{version}/infer': {
    says: 'As without a version, which must be the active one.',
    answer: '{"model_name": "grid", "model_version": "1", "outputs": […]}',
    errors: [...MODEL, 'F3_MODEL_UNKNOWN'],
  },
  'GET /healthz': { says: 'The process is alive.', answer: '{"status": "ok"}' },
  'GET /readyz': { says: 'Its database answers.', answer: '{"ready": true}', errors: ['F3_NOT_READY'] },
  'GET /v2/health/live': { says: 'As /healthz, for the Open Inference Protocol.', answer: '{"live": true}' },
  'GET /v2/health/ready': { says: 'As /readyz.', answer: '{"ready": true}', errors: ['F3_NOT_READY'] },
  'GET /metrics': {
    says: 'Prometheus metrics.',
    answer: 'f3_requests_total{method="GET",route="/healthz",status="200"} 4',
  },
  'GET /openapi.json': { says: 'This list as an OpenAPI 3 document.', answer: '{"openapi": "3.0.3", …}' },
};
