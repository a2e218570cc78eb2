// Shows a number with so many digits, or a dash where there is none: a score that is not defined, or that a coordinator withholds.

export const shownNumber = (value: number | null | undefined, digits: number): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toFixed(digits) : '–';
