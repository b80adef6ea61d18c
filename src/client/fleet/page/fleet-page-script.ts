import { panelSheet } from './render-panel.ts'

/** Shows the numbers of a minute: that under the pointer, or that of the slider, which arrow keys move. */
export const fleetPageScript = `
const sheet = ${JSON.stringify(panelSheet)}
const detail = document.getElementById('detail'), slider = document.getElementById('minute')
const panels = [...document.querySelectorAll('.panel')].map(svg => ({ svg, title: svg.dataset.title, values: JSON.parse(svg.dataset.values) }))
const clock = minute => String(Math.floor(minute / 60)).padStart(2, '0') + ':' + String(minute % 60).padStart(2, '0')
const count = number => String(number).replace(/\\B(?=(\\d{3})+$)/g, ',')
const show = minute => {
  slider.value = minute
  slider.setAttribute('aria-valuetext', clock(minute) + ' UTC')
  const x = sheet.left + (sheet.width - sheet.left - sheet.right) * (minute + .5) / 1440
  const lines = panels.map(({ svg, title, values }) => {
    const cursor = svg.querySelector('.cursor')
    cursor.setAttribute('x1', x)
    cursor.setAttribute('x2', x)
    cursor.setAttribute('visibility', 'visible')
    return title + ': ' + values.map((numbers, index) => 'AB'[index] + ' ' + count(numbers[minute])).join(', ')
  })
  detail.textContent = [clock(minute) + ' UTC', ...lines].join('\\n')
}
slider.addEventListener('input', () => show(Number(slider.value)))
slider.addEventListener('focus', () => show(Number(slider.value)))
for (const { svg } of panels) svg.addEventListener('pointermove', event => {
  const box = svg.getBoundingClientRect()
  const x = (event.clientX - box.x) / box.width * sheet.width
  const minute = Math.floor((x - sheet.left) / (sheet.width - sheet.left - sheet.right) * 1440)
  if (minute >= 0 && minute < 1440) show(minute)
})
`
