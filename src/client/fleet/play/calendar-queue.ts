const nobody = -1

/** Which desktops are to be played in which second. Each is in it once at most: its link is its place in an array. */
export class CalendarQueue {
  readonly #first: Int32Array
  readonly #next: Int32Array

  constructor(seconds: number, desktops: number) {
    this.#first = new Int32Array(seconds).fill(nobody)
    this.#next = new Int32Array(desktops)
  }

  add(second: number, desktop: number): void {
    this.#next[desktop] = this.#first[second]!
    this.#first[second] = desktop
  }

  /** Takes one desktop of a second out; `undefined` where there is none. */
  take(second: number): number | undefined {
    const desktop = this.#first[second]!
    if (desktop === nobody) return undefined
    this.#first[second] = this.#next[desktop]!
    return desktop
  }
}
