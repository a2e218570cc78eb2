// The colours of reports, figures and the dashboard: each CSS variable with its light and its dark value.

/** Each CSS variable with its light and its dark colour. Figures are drawn with the light ones. */
export const FIGURE_COLOURS = {
  '--ink': ['#1c2330', '#e7eaf0'],
  '--faint': ['#5b6575', '#9aa5b8'],
  '--grid': ['#e2e6ed', '#2d3543'],
  '--c1': ['#2f5fd0', '#7aa2ff'],
  '--c2': ['#aab3c2', '#5f6b80'],
  '--c3': ['#d9622b', '#ff9c66'],
  '--c4': ['#1b8a6b', '#4fd1a5'],
  '--c5': ['#8a4fc7', '#c39bff'],
  '--c6': ['#b8860b', '#f0c452'],
  '--c7': ['#0e8fa8', '#5fd4ea'],
  '--c8': ['#c2417c', '#ff8fbf'],
} as const;

/** Colours of what surrounds the figures. */
export const PAGE_COLOURS = {
  '--page': ['#ffffff', '#12161d'],
  '--panel': ['#f6f7f9', '#1a202a'],
  '--link': ['#2450b8', '#8fb1ff'],
  '--within': ['#14724f', '#5fd3a6'],
  '--beyond': ['#a8480f', '#ffab75'],
  '--shade': ['#1c233024', '#00000080'],
  '--badge': ['#fdf0d5', '#3a2f14'],
  '--badge-ink': ['#7a4b00', '#ffd480'],
} as const;
