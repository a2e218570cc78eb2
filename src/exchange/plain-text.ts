// [wire] The rule for every text that is kept for others: names, classes, sample ids. Routes and uploads share it.

/** What such a text must be, in words. */
export const PLAIN_TEXT_RULE = 'must hold whole characters, and no control or replacement characters';

/** U+FFFD stands where a program could not read a character. */
const UNWANTED = /[\p{Cc}\uFFFD]/u;

/** Whether a text keeps to `PLAIN_TEXT_RULE`. NUL and halves of UTF-16 pairs cannot be stored, and line breaks forge lines. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !UNWANTED.test(text);
