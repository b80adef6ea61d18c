/** `1 rule`, `2 rules`: a number with what it counts, in the singular as given. */
export function renderCounted(count: number, noun: string, digits = String(count)): string {
  return `${digits} ${noun}${count === 1 ? '' : 's'}`
}
