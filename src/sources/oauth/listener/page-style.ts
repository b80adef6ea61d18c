/**
 * The style of the last page. The contrast of every colour is 7:1 or more on its ground, in light and in dark; text grows with the
 * person's own size and breaks on small screens; forced colours win over all of it.
 */
export const pageStyle = [
  ':root{color-scheme:light dark;--ground:#fff;--page:#f3f4f6;--text:#1f2328;--good:#116329;--bad:#a40e26;--line:#d0d7de}',
  '@media(prefers-color-scheme:dark){:root{--ground:#1c2128;--page:#0d1117;--text:#e6edf3;--good:#56d364;--bad:#ff9a92;--line:#444c56}}',
  'body{margin:0;background:var(--page);color:var(--text);font:1.125rem/1.55 system-ui,sans-serif}',
  'main{box-sizing:border-box;max-width:40rem;margin:12vh auto;padding:2rem 2.5rem;background:var(--ground);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}',
  'h1{display:flex;align-items:center;gap:.75rem;margin:0 0 1rem;font-size:1.6rem;line-height:1.25}',
  'h2{margin:1.5rem 0 .25rem;font-size:1.125rem}',
  'p{margin:.5rem 0}',
  'code{font:.95em ui-monospace,monospace}',
  'svg{flex:none;width:2rem;height:2rem;fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round;stroke-linejoin:round}',
  '.good svg{color:var(--good)}',
  '.bad svg{color:var(--bad)}',
  '@media(max-width:45rem){main{margin:0;padding:1.5rem 1.25rem;min-height:100vh;border:0;border-radius:0}}',
].join('')
