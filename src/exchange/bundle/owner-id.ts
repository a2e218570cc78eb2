// [wire] The rule for owner ids, which are also folder names on any system. Data sets and bundles share it.

/** What an owner id must be, in words. */
export const OWNER_ID_RULE =
  'must be 1 to 100 characters without / \\ : * ? " < > |, and no dot or space at either end';

const OWNER_ID = /^(?![. ])[^/\\:*?"<>|\p{Cc}]{1,100}(?<![. ])$/u;

/** Whether a text keeps to `OWNER_ID_RULE`. */
export const isOwnerId = (id: string): boolean => OWNER_ID.test(id);
