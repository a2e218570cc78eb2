// The split as the command line names it: a whole number is a seed, anything else a file.
export const splitOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);
