// A text as a cell of a CSV file (RFC 4180): in quotes where it needs them.

export const csvCell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
