// [wire] What the coordinator's routes take and give, as JSON. Times are texts in ISO 8601.
export * from './messages/answer-object.ts';
export * from './messages/federations.ts';
export * from './messages/membership.ts';
export * from './messages/models.ts';
export * from './messages/operation.ts';
export * from './messages/predictions.ts';
export * from './messages/shares.ts';
export * from './messages/trainings.ts';
export * from './messages/uploads.ts';
