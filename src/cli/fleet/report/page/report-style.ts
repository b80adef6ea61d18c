/** What is only on this page: the colours of causes, versions and ways to be served, and its tables. */
export const reportStyle = `
:root { --unavailable: #c02638; --late: #c26a00; --refused: #8a3ab0; --sign-in-required: #2f62c4; --not-configured: #0b7a70;
  --usage: #667085; --bug: #1d2430; --calls: #7a92c0;
  --version-0: #2f62c4; --version-1: #8fb0ea; --version-2: #d3b46a; --version-3: #c2803a; --version-4: #994f1e; --version-5: #5f3413; }
@media (prefers-color-scheme: dark) {
  :root { --unavailable: #ff6b7a; --late: #f0a63a; --refused: #c792ea; --sign-in-required: #79a7ff; --not-configured: #3fc7b8;
    --usage: #98a2b3; --bug: #f2f4f8; --calls: #5b719c;
    --version-0: #6f9cf5; --version-1: #41639f; --version-2: #c5a85a; --version-3: #d18b45; --version-4: #b3632f; --version-5: #8a5a35; }
}
.unavailable { fill: var(--unavailable); --own: var(--unavailable); } .late { fill: var(--late); --own: var(--late); }
.refused { fill: var(--refused); --own: var(--refused); } .usage { fill: var(--usage); --own: var(--usage); }
.sign-in-required { fill: var(--sign-in-required); --own: var(--sign-in-required); }
.not-configured { fill: var(--not-configured); --own: var(--not-configured); }
.bug { fill: var(--bug); --own: var(--bug); }
.calls, .cache, .other { fill: var(--calls); } .mint { fill: var(--neutral); } .kept { fill: var(--caution); }
.failed, .failures { fill: var(--bad); }
.version-0 { fill: var(--version-0); } .version-1 { fill: var(--version-1); } .version-2 { fill: var(--version-2); }
.version-3 { fill: var(--version-3); } .version-4 { fill: var(--version-4); } .version-5 { fill: var(--version-5); }
h1 { font-size: 15px; font-weight: 500; color: var(--quiet); }
h2 { font-size: 17px; margin: 28px 0 8px; padding-top: 14px; border-top: 1px solid var(--rule); }
.headline { font-size: 26px; line-height: 1.3; font-weight: 600; margin: 4px 0 16px; padding-left: 14px; color: var(--ink); }
.failing { border-left: 6px solid var(--bad); } .well { border-left: 6px solid var(--good); }
small { display: block; color: var(--quiet); font-weight: 400; }
table { width: 100%; }
caption { text-align: left; color: var(--quiet); padding-bottom: 4px; }
thead th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
thead th, thead td { border-bottom: 1px solid var(--rule); }
tbody th { font-weight: 500; overflow-wrap: anywhere; }
#machines tbody th, #causes tbody th, #versions .box th { min-width: 190px; }
#causes td:not(.number) { min-width: 125px; }
td, th { padding: 4px 14px 4px 0; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.number { text-align: right; white-space: nowrap; }
.swatch { width: 11px; height: 11px; margin-right: 8px; vertical-align: -1px; }
#causes small { padding-left: 19px; }
.drawn { width: 120px; } .bar { display: block; width: 110px; height: 12px; margin-top: 3px; background: var(--panel); }
.sparkline { display: block; width: 130px; height: 22px; border-bottom: 1px solid var(--rule); }
.axis text { fill: var(--quiet); font-size: 11px; text-anchor: end; font-variant-numeric: tabular-nums; }
.axis .panel { fill: var(--ink); font-size: 12px; text-anchor: start; }
.mark.column > rect { stroke: none; } .mark .reach { fill: transparent; }
.mark.column:hover > .reach, .mark.column:focus > .reach { fill: var(--ink); fill-opacity: .08; stroke: var(--ink); stroke-width: 1; }
.box { max-height: 460px; overflow: auto; border: 1px solid var(--rule); border-radius: 4px; padding: 0 10px 6px; }
.box thead th { position: sticky; top: 0; background: var(--paper); padding-top: 8px; }
.box caption { padding-top: 6px; }
.box:focus-visible { outline: 2px solid var(--neutral); }
#machines caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.heat { text-align: right; padding-right: 8px; }
.shade-1 { background: color-mix(in srgb, var(--own) 8%, var(--paper)); } .shade-2 { background: color-mix(in srgb, var(--own) 15%, var(--paper)); }
.shade-3 { background: color-mix(in srgb, var(--own) 22%, var(--paper)); } .shade-4 { background: color-mix(in srgb, var(--own) 29%, var(--paper)); }
.shade-5 { background: color-mix(in srgb, var(--own) 36%, var(--paper)); }
.older { color: var(--caution); } .still { color: var(--bad); font-weight: 600; white-space: nowrap; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(430px, 100%), 1fr)); gap: 18px 36px; align-items: start; margin: 8px 0 16px; }
.beside > * { min-width: 0; }
@media (max-width: 800px) { .scroll > svg { min-width: 1200px; } section > table, .beside > table { display: block; overflow-x: auto; } }
@media print { .box { max-height: none; overflow: visible; border: 0; padding: 0; } .box thead th { position: static; } label { display: none; } }
input { font: inherit; padding: 3px 8px; background: var(--paper); color: var(--ink); border: 1px solid var(--quiet); border-radius: 4px; }
`
