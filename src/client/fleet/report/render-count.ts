/** A number with its thousands apart. */
export function renderCount(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}
