// What may name an owner: an id that is also a folder name on any system. Data sets and bundles share the rule.

export const OWNER_ID_RULE =
  'must be 1 to 100 characters without / \\ : * ? " < > |, and no dot or space at either end';

const OWNER_ID = /^(?![. ])[^/\\:*?"<>|\p{Cc}]{1,100}(?<![. ])$/u;

export const isOwnerId = (id: string): boolean => OWNER_ID.test(id);
