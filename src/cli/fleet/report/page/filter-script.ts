/** Shows the machines whose names hold what is typed, or only those that are still failing. */
export const filterScript = `
const find = document.getElementById('find')
if (find) {
  const found = document.getElementById('found')
  const rows = [...document.querySelectorAll('#machines tbody tr')]
  const still = document.getElementById('still')
  const filter = () => {
    const wanted = find.value.trim().toLowerCase()
    let count = 0
    for (const row of rows) {
      const isStill = row.cells[row.cells.length - 1].className === 'still'
      row.hidden = (still.checked && !isStill) || !row.cells[0].textContent.toLowerCase().includes(wanted)
      if (!row.hidden) count += 1
    }
    found.textContent = count === rows.length ? '' : count + ' of ' + rows.length
  }
  find.addEventListener('input', filter)
  still.addEventListener('change', filter)
}
`
