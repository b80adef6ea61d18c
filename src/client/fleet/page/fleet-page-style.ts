/** What the page of a fleet looks like, beside the frame of every page. */
export const fleetPageStyle = `
h2 { font-size: 16px; margin: 20px 0 6px; }
figure { margin: 0 0 14px; min-width: 860px; }
figcaption { font-size: 13px; color: var(--quiet); margin: 0 0 2px; }
.panel { display: block; width: 100%; cursor: crosshair; }
.choice-a { fill: var(--neutral); fill-opacity: .45; stroke: var(--neutral); stroke-width: 1; }
.choice-b { fill: none; stroke: var(--caution); stroke-width: 2; stroke-dasharray: 5 3; }
.cursor { stroke: var(--ink); stroke-width: 1; }
.tick text.last { text-anchor: end; }
.minute { display: block; margin: 0 0 4px; font-size: 13px; color: var(--quiet); }
.minute input { display: block; width: 100%; margin: 2px 0 0; accent-color: var(--neutral); }
.detail { position: sticky; bottom: 0; min-height: 3em; }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right; padding-left: 24px; }
.numbers td, .waits td { white-space: pre; }
.lost td { color: var(--bad); font-weight: 600; }
.waits meter { width: min(180px, 20vw); height: 12px; }
`
