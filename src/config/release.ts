/** Compares client releases numerically, part by part: 1.10.0 is later than 1.9.9. Missing parts count as 0. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [a, b].map((release) => release.split('.').map(Number)) as [number[], number[]]
  for (let part = 0; part < Math.max(left.length, right.length); part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

/** The later one of two releases. */
export function chooseLaterRelease(a: string, b: string): string {
  return compareReleases(a, b) < 0 ? b : a
}

/** Whether the text is a release: whole numbers with dots between them. */
export function isRelease(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})*$/.test(text)
}
