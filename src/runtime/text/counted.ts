/** Renders a number with what it counts, which is given in the singular: `1 rule`, `2 rules`. */
export function renderCounted(count: number, noun: string, digits = String(count)): string {
  return `${digits} ${noun}${count === 1 ? '' : 's'}`
}

/** Renders a number with separated thousands. */
export function renderCount(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
