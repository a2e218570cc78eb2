// [wire] The rule for owner ids, which are also folder names on any system. Data sets and bundles share it.

export const OWNER_ID_RULE =
  'must be 1 to 100 characters without / \\ : * ? " < > |, and no dot or space at either end';

const OWNER_ID = /^(?![. ])[^/\\:*?"<>|\p{Cc}]{1,100}(?<![. ])$/u;

export const isOwnerId = (id: string): boolean => OWNER_ID.test(id);
