// [wire] Times in metadata are ISO 8601 with a zone, so that owners in different places mean the same moment.

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

export const isIsoTime = (text: string): boolean => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text));
