// Folder: pages for a browser: their frame, security policy, charts, tables, and the drawing of a simulation over time.

import { toSha256 } from '../../runtime/digest.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'

/** Shows the text of a mark in the element after its chart. Arrow keys move between marks and lanes; Tab moves from chart to chart. */
export const markScript = `
for (const chart of document.querySelectorAll('.scroll')) {
  const detail = chart.nextElementSibling
  const lanes = [...chart.querySelectorAll('.lane')].map(lane => [...lane.querySelectorAll('.mark')]).filter(lane => lane.length)
  const all = lanes.flat()
  const show = mark => { detail.textContent = mark.getAttribute('aria-label') }
  const focus = mark => { for (const other of all) other.tabIndex = other === mark ? 0 : -1; mark.focus() }
  const xOf = mark => mark.getBoundingClientRect().x
  const nearest = (lane, mark) => lane.reduce((best, other) => Math.abs(xOf(other) - xOf(mark)) < Math.abs(xOf(best) - xOf(mark)) ? other : best)
  if (all[0]) all[0].tabIndex = 0
  for (const lane of lanes) for (const mark of lane) {
    mark.addEventListener('pointerenter', () => show(mark))
    mark.addEventListener('focus', () => show(mark))
    mark.addEventListener('click', () => focus(mark))
    mark.addEventListener('keydown', event => {
      const row = lanes.indexOf(lane), at = lane.indexOf(mark)
      const moves = { ArrowLeft: () => lane[at - 1], ArrowRight: () => lane[at + 1], Home: () => lane[0], End: () => lane.at(-1),
        ArrowUp: () => row > 0 && nearest(lanes[row - 1], mark), ArrowDown: () => row + 1 < lanes.length && nearest(lanes[row + 1], mark) }
      const next = moves[event.key] && moves[event.key]()
      if (moves[event.key]) event.preventDefault()
      if (next) focus(next)
    })
  }
}
`

/** Marks elements that are wider than the screen, so that the page shows that they scroll. */
export const wideScript = `
for (const box of document.querySelectorAll('.scroll, .box')) {
  const update = () => { box.classList.toggle('wide', box.scrollWidth > box.clientWidth + 1) }
  new ResizeObserver(update).observe(box)
  update()
}
`

/**
 * Renders one page. Its policy forbids loading anything, and permits its one style and one script by their digests, so that an unescaped
 * text could not run.
 */
export function renderHtmlPage({ title, command, style, script, body, connects }: HtmlPage): string {
  const wholeStyle = `${frameStyle}${style}`
  const wholeScript = `${wideScript}${script}`
  const connections = connects ? "connect-src 'self'; " : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${toSource(wholeStyle)}; script-src ${toSource(wholeScript)}; ${connections}img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)} · ${command}</title>
<style>${wholeStyle}</style>
</head>
<body>
${body}
<script>${wholeScript}</script>
</body>
</html>
`
}

/** A page without external resources. */
interface HtmlPage {
  readonly title: string
  /** The command that created it, such as `gatepass simulate`. */
  readonly command: string
  /** The style of the page's own parts, in addition to {@link frameStyle}. */
  readonly style: string
  readonly script: string
  /** HTML, in which every foreign text is escaped. */
  readonly body: string
  /** Set if the script sends requests to the page's own server. */
  readonly connects?: 'own origin'
}

/** The style of every page, light and dark: colours, text, numbers and tables. */
const frameStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2430; --quiet: #5b6575; --rule: #dfe3ea; --panel: #f5f7fa;
  --good: #1a7f4b; --caution: #a45a00; --bad: #c02638; --neutral: #3a63b8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181f; --ink: #e6eaf0; --quiet: #9aa5b5; --rule: #2c343f; --panel: #1c222b;
    --good: #4cc38a; --caution: #f0a63a; --bad: #ff6b7a; --neutral: #86a9f5; }
}
body { margin: 0 auto; max-width: 1240px; padding: 24px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; overflow-wrap: anywhere; }
.subject { font-size: 15px; font-weight: 500; color: var(--quiet); }
.headline { font-size: 26px; line-height: 1.3; font-weight: 600; margin: 4px 0 16px; padding-left: 14px; color: var(--ink); }
.failing { border-left: 6px solid var(--bad); } .well { border-left: 6px solid var(--good); }
p { margin: 0 0 12px; color: var(--quiet); }
dl { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 0 0 16px; }
dt { color: var(--quiet); font-size: 13px; }
dd { margin: 0; font-size: 18px; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; margin: 0 0 8px; padding: 0; font-size: 13px; }
.legend svg { width: 16px; height: 16px; vertical-align: -3px; margin-right: 6px; }
/* A shadow at an edge shows that there is more behind it. */
.scroll, .box { --shade: color-mix(in srgb, var(--ink) 28%, transparent); overflow-x: auto; background:
  linear-gradient(to right, var(--paper) 30%, transparent) left / 40px 100%, linear-gradient(to left, var(--paper) 30%, transparent) right / 40px 100%,
  linear-gradient(to right, var(--shade), transparent) left / 12px 100%, linear-gradient(to left, var(--shade), transparent) right / 12px 100%;
  background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
.wide::before { content: 'Wider than the screen: scroll it sideways. →'; display: block; color: var(--quiet); font-size: 13px; }
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
  .scroll { overflow: visible; background: none; } .scroll > svg { min-width: 0; } .detail, .wide::before { display: none; }
  h2, caption { break-after: avoid; } tr, .scroll { break-inside: avoid; }
}
`

/** Returns the source of a Content Security Policy that permits only this text (CSP level 3, section 2.3.1). */
function toSource(text: string): string {
  return `'sha256-${Buffer.from(toSha256(text), 'hex').toString('base64')}'`
}
