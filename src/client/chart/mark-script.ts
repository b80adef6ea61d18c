/**
 * Shows the text of a mark in the element behind its chart. Arrow keys move between marks and lanes; Tab goes to a chart, and on
 * to the next.
 */
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
