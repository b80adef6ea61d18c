/** How many desktops stand side by side. The last number of a page is the next page. */
export const pageLength = 15
const pageSize = pageLength + 1
const none = -1

/**
 * Which desktops are to be played in which second. Each is in it once at most. They stand in pages, one line of a processor's cache
 * each: a list from desktop to desktop would wait for the memory at each of them.
 */
export class CalendarQueue {
  readonly #pages: Int32Array
  /** For each second its last page, and how many desktops are in that. */
  readonly #last: Int32Array
  readonly #filled: Uint8Array
  #free = 0

  constructor(seconds: number, desktops: number) {
    const pages = Math.ceil(desktops / pageLength) + Math.min(seconds, desktops)
    this.#pages = new Int32Array(pages * pageSize)
    for (let page = 0; page < pages; page += 1) this.#pages[page * pageSize + pageLength] = page + 1
    this.#last = new Int32Array(seconds).fill(none)
    this.#filled = new Uint8Array(seconds)
  }

  add(second: number, desktop: number): void {
    const last = this.#last[second]!
    const filled = this.#filled[second]!
    const page = last === none || filled === pageLength ? this.#addPage(second, last) : last
    const at = page === last ? filled : 0
    this.#pages[page * pageSize + at] = desktop
    this.#filled[second] = at + 1
  }

  /** Takes desktops of a second out, writes their numbers into `batch`, and says how many they are; 0 where there is none. */
  take(second: number, batch: Int32Array): number {
    const page = this.#last[second]!
    if (page === none) return 0
    const filled = this.#filled[second]!
    const begin = page * pageSize
    for (let at = 0; at < filled; at += 1) batch[at] = this.#pages[begin + at]!
    this.#last[second] = this.#pages[begin + pageLength]!
    this.#filled[second] = pageLength
    this.#pages[begin + pageLength] = this.#free
    this.#free = page
    return filled
  }

  #addPage(second: number, before: number): number {
    const page = this.#free
    this.#free = this.#pages[page * pageSize + pageLength]!
    this.#pages[page * pageSize + pageLength] = before
    this.#last[second] = page
    return page
  }
}
