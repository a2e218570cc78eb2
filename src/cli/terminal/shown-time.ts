// Shows a time as tables do: to the minute, in UTC, as the title of the column says.

export function shownTime(moment: unknown): string | undefined {
  const time = typeof moment === 'string' ? new Date(moment) : undefined;
  if (!time || Number.isNaN(time.getTime())) return undefined;
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
