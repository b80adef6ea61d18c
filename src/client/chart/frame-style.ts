/** What every page looks like, light and dark: its colours, its words, its numbers and its tables. */
export const frameStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2430; --quiet: #5b6575; --rule: #dfe3ea; --panel: #f5f7fa;
  --good: #1a7f4b; --caution: #a45a00; --bad: #c02638; --neutral: #3a63b8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181f; --ink: #e6eaf0; --quiet: #9aa5b5; --rule: #2c343f; --panel: #1c222b;
    --good: #4cc38a; --caution: #f0a63a; --bad: #ff6b7a; --neutral: #86a9f5; }
}
body { margin: 0 auto; max-width: 1240px; padding: 24px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; }
p { margin: 0 0 12px; color: var(--quiet); }
dl { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 0 0 16px; }
dt { color: var(--quiet); font-size: 13px; }
dd { margin: 0; font-size: 18px; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; margin: 0 0 8px; padding: 0; font-size: 13px; }
.legend svg { width: 16px; height: 16px; vertical-align: -3px; margin-right: 6px; }
.scroll { overflow-x: auto; }
.scroll > svg { display: block; width: 100%; min-width: 860px; }
.label { fill: var(--ink); font-size: 13px; text-anchor: end; }
.rule, .tick line { stroke: var(--rule); }
.tick text { fill: var(--quiet); font-size: 12px; text-anchor: middle; font-variant-numeric: tabular-nums; }
.mark { cursor: pointer; outline: none; }
.mark > :not(title, text) { stroke: var(--paper); stroke-width: 1; }
.mark:focus > :not(title, text), .mark:hover > :not(title, text) { stroke: var(--ink); stroke-width: 2.5; }
.good { fill: var(--good); } .neutral { fill: var(--neutral); } .caution { fill: var(--caution); } .bad { fill: var(--bad); }
.detail { display: block; margin: 8px 0 16px; padding: 10px 14px; background: var(--panel);
  border-left: 4px solid var(--neutral); white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; font-size: 13px; }
td, th { text-align: left; padding: 2px 16px 2px 0; vertical-align: top; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; }
@page { size: landscape; }
@media print {
  body { max-width: none; padding: 0; print-color-adjust: exact; }
  .scroll { overflow: visible; } .scroll > svg { min-width: 0; } .detail { display: none; }
  h2, caption { break-after: avoid; } tr, .scroll { break-inside: avoid; }
}
`
