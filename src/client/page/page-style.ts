/** What is only on this page. */
export const pageStyle = `
.mark text { font-size: 11px; }
.mark > rect[rx] { fill-opacity: .75; }
#detail { min-height: 4.5em; }
`
