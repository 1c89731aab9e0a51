/** The style of the page of a load test. */
export const LOAD_STYLE = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#f6f6f4, #14161a);
  --surface: light-dark(#ffffff, #1b1e24);
  --line: light-dark(#dddcd7, #363b45);
  --text: light-dark(#1c1d20, #e7e8ea);
  --muted: light-dark(#5d5f66, #a5aab4);
  --fail: light-dark(#ad1f1a, #ff9c93);
  --warn: light-dark(#7d5200, #efc070);
  --pass: light-dark(#1a6b3c, #83d6a1);
  --a: light-dark(#1f4fa8, #9dbdff);
  --b: light-dark(#7d5200, #efc070);
  --c: light-dark(#ad1f1a, #ff9c93);
}
* { box-sizing: border-box; }
html {
  background: var(--bg);
  color: var(--text);
  font: 1rem / 1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
  -webkit-text-size-adjust: 100%;
}
body { overflow-wrap: anywhere; max-width: 72rem; margin: 0 auto; padding: 0 1.25rem 4rem; }
h1, h2, h3, p, ul, dl, dd, figure { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.2; }
h2 { font-size: 1.25rem; margin-bottom: 0.5rem; }
h3 { font-size: 1rem; }
header { border-left: 0.4rem solid; padding: 0.25rem 0 0.25rem 1rem; margin: 2rem 0; }
header > *:not(.verdict) { color: var(--text); }
header.pass, header.pass .verdict { color: var(--pass); }
header.warn, header.warn .verdict { color: var(--warn); }
header.fail, header.fail .verdict { color: var(--fail); }
.verdict { font-weight: 700; letter-spacing: 0.04em; }
ul { padding-left: 1.25rem; }
section { margin: 2rem 0; }
article { background: var(--surface); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.75rem 1rem; margin: 0.75rem 0; }
code { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; font-size: 0.875em; }
.dim { color: var(--muted); font-weight: 400; }
p + .wide { margin-top: 0.5rem; }
article p + ul, article ul + p { margin-top: 0.25rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--surface); border: 1px solid var(--line); }
th, td { text-align: left; padding: 0.35rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal; }
th { font-weight: 600; }
table.numbers thead th:not(:first-child) { text-align: right; }
td.n { text-align: right; white-space: nowrap; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.25rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 14rem; color: var(--muted); }
dd { flex: 1 1 16rem; }
.chart { background: var(--surface); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.75rem 1rem; margin: 0.75rem 0; }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 1rem; margin-bottom: 0.5rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1rem; list-style: none; padding: 0; font-size: 0.875rem; }
.key { display: inline-block; width: 1.25rem; border-top: 3px solid; margin-right: 0.4rem; vertical-align: middle; }
.key.a { border-color: var(--a); }
.key.b { border-color: var(--b); border-top-style: dashed; }
.key.c { border-color: var(--c); border-top-style: dotted; }
.plot { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.5rem; }
.plot svg { width: 100%; height: 13rem; display: block; overflow: visible; }
.ys { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin: -0.5em 0; }
.ys, .xs { font-size: 0.8125rem; line-height: 1; color: var(--muted); }
.xs { grid-column: 2; display: flex; justify-content: space-between; }
.grid path { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.line.a { stroke: var(--a); }
.line.b { stroke: var(--b); stroke-dasharray: 6 4; }
.line.c { stroke: var(--c); stroke-dasharray: 2 4; }
`;
