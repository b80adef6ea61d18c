/** Renders a number with separated thousands. */
export function renderCount(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
