/** Shows the text of a mark below the timeline. Arrow keys move between marks and lanes. */
export const pageScript = `
const detail = document.getElementById('detail')
const lanes = [...document.querySelectorAll('.scroll .lane')].map(lane => [...lane.querySelectorAll('.mark')]).filter(lane => lane.length)
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
`
