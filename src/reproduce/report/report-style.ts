// The style sheet of report.html: system fonts, light and dark, a phone's width, paper.
import { FIGURE_COLOURS, PAGE_COLOURS } from '../../figures/colours.ts';

const colours = { ...FIGURE_COLOURS, ...PAGE_COLOURS };
const variables = (theme: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, pair]) => `${name}:${pair[theme]}`)
    .join(';');

/** Dark colours are for screens only, since paper is white. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;${variables(0)}}
@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:1.5rem}
body{margin:0;background:var(--page);color:var(--ink);line-height:1.55;overflow-wrap:break-word;
  font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.layout{max-width:70rem;margin:0 auto;padding:2.5rem 1.25rem 5rem}
main{min-width:0}
nav{display:none}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.45rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .5rem;text-wrap:balance}
h3{font-size:1rem;line-height:1.4;margin:2rem 0 .6rem}
.block h3{margin-top:0}
p{margin:0 0 1rem;max-width:46rem}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.18em}
.lead{font-size:1.125rem}
.facts,.note,figcaption{color:var(--faint);font-size:.875rem}
.note{margin-top:.6rem}
section{padding-top:2.5rem;margin-top:2.5rem;border-top:1px solid var(--grid)}
.tags{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1rem;font-size:.8125rem}
.tag,.simulated{padding:.1rem .6rem;border-radius:1rem;white-space:nowrap}
.tag{background:var(--panel);color:var(--faint)}
.simulated{background:var(--badge);color:var(--badge-ink);font-size:.8125rem;font-weight:600}
h3 .simulated,figcaption .simulated,th .simulated{font-size:.75rem}
.tags .simulated,br+.simulated{margin-left:0}
.block{margin:2rem 0}
/* A shade at the right edge where there is more; at the end of the scroll its cover lies over it. */
.scroll{overflow-x:auto;-webkit-overflow-scrolling:touch;
  background:linear-gradient(to left,var(--page) 50%,transparent) right/2rem 100% no-repeat local,
    linear-gradient(to left,var(--shade),transparent) right/.8rem 100% no-repeat scroll}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;min-width:min(100%,30rem)}
th,td{padding:.42rem .45rem;text-align:left;white-space:nowrap;vertical-align:baseline;font-weight:400}
th:first-child,td:first-child{padding-left:.1rem}
tr>:first-child{position:sticky;left:0;background:var(--page);z-index:1}
.long{white-space:normal;min-width:8.5rem}
thead th{color:var(--faint);font-size:.8125rem;vertical-align:bottom}
thead th.group{color:var(--ink);font-weight:600;text-align:center;border-bottom:1px solid var(--grid)}
thead tr:first-child th[rowspan]{color:var(--ink);font-weight:600}
tbody td,tbody th{border-top:1px solid var(--grid)}
thead{border-bottom:2px solid var(--grid)}
.number{text-align:right}
.number .spread{color:var(--faint);font-size:.85em;margin-left:.3em}
td.paper{color:var(--faint)}
td.first,th.first{padding-left:.9rem}
.overview table{width:100%}
.within{color:var(--within)}
.beyond{color:var(--beyond);font-weight:650}
figure{margin:2.25rem 0}
figure svg{display:block;width:100%;height:auto;max-width:var(--width)}
figure svg.narrow{display:none}
figure svg text{font-family:inherit}
figcaption{margin-top:.6rem;max-width:46rem}
figcaption strong{color:var(--ink)}
ul.remarks{padding-left:1.2rem;max-width:46rem}
ul.remarks li{margin:.4rem 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
pre{margin:0;padding:.8rem 1rem;background:var(--panel);border-radius:.5rem;overflow-x:auto}
.command{white-space:pre-wrap}
.command code{user-select:all}
details{margin:1rem 0}
summary{cursor:pointer;color:var(--link);margin-bottom:.5rem}
@media (max-width:88rem){
  .stacks .spread{display:block;margin:0}
}
/* A phone: nothing is cut and nothing scrolls sideways. Rows of tables that would not fit become blocks, a line per column. */
@media screen and (max-width:40rem){
  .layout{padding:1.5rem 1rem 3rem}
  h1{font-size:1.6rem}
  h2{font-size:1.25rem}
  th,td{padding:.4rem .45rem}
  th,td{white-space:normal}
  td.number{white-space:nowrap}
  td.first,th.first{padding-left:.7rem}
  .number .spread{display:block;margin:0}
  .long{min-width:0}
  table{min-width:100%}
  tr>:first-child{position:static}
  figure svg.wide{display:none}
  figure svg.narrow{display:block}
  pre{white-space:pre-wrap}
  .stacks,.stacks tbody{display:block}
  .stacks thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
  .stacks tbody tr{display:grid;grid-template-columns:5fr 4fr 4fr 4fr;padding:.5rem 0;border-top:1px solid var(--grid)}
  .stacks tbody th,.stacks tbody td{border:0;padding:.15rem 0}
  .stacks tbody th{grid-column:1/-1;text-align:left;font-weight:600}
  .stacks tbody th[data-label]::before{content:attr(data-label) " ";color:var(--faint);font-weight:400}
  .stacks tbody td{grid-column:1/-1;display:flex;justify-content:space-between;gap:1rem;text-align:right}
  .stacks tbody td::before{content:attr(data-label);color:var(--faint);text-align:left;white-space:normal}
  .stacks td .spread{display:inline;margin-left:.3em}
  .stacks tbody td.first{grid-column:1/span 2;display:grid;grid-template-columns:5fr 4fr;gap:0}
  .stacks tbody td.first~td.paper,.stacks tbody td.paper+td{grid-column:auto;display:block}
  .stacks span[data-part]::before{content:attr(data-part);display:block;color:var(--faint);font-size:.75rem}
  .stacks span[data-part] .spread{display:block;margin:0}
}
@media screen and (min-width:76rem){
  .layout{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:2.5rem;max-width:88rem}
  .layout.single{display:block;max-width:70rem}
  nav{display:block;position:sticky;top:2.5rem;align-self:start;max-height:calc(100vh - 5rem);overflow-y:auto;
    font-size:.875rem}
  nav ul{list-style:none;margin:0;padding:0;border-left:1px solid var(--grid)}
  nav li{padding:.3rem 0 .3rem .9rem;line-height:1.35}
  nav a{color:var(--ink);text-decoration:none}
  nav a:hover{color:var(--link);text-decoration:underline}
  nav small{display:block;color:var(--faint);font-size:.78rem}
  nav p{font-weight:600;margin:0 0 .6rem}
}
@media print{
  body{font-size:10pt}
  .layout{padding:0;max-width:none}
  .scroll{overflow:visible}
  table{font-size:8.5pt}
  th,td{padding:.25rem .45rem}
  tr>:first-child{position:static}
  section{break-before:page;border:0;padding-top:0}
  figure,tr,pre{break-inside:avoid}
  h2,h3{break-after:avoid}
  a{color:inherit}
}
`.trim();
