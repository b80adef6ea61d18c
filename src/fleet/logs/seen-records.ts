import { hash } from 'node:crypto'

/**
 * Stores a 64-bit digest of each text in a growing table. With ten million texts, a collision occurs in one of 300,000 reports.
 * @param most The largest number of slots of 8 bytes. At most half of them are used, so that a search is short.
 */
export function createSeenRecords(most: number): SeenRecords {
  let slots = new Uint32Array(2 * Math.min(most, 2 ** 16))
  let count = 0
  const grow = () => {
    const old = slots
    slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high !== 0 || low !== 0) addRecord(slots, high, low)
    }
  }
  return {
    add(text) {
      const digest = hash('sha1', text)
      const high = Number.parseInt(digest.slice(0, 8), 16)
      const low = Number.parseInt(digest.slice(8, 16), 16) || 1 // two zeros mean an empty slot
      if (count * 4 >= slots.length && slots.length < 2 * most) grow()
      const isRoom = count * 4 < slots.length
      const found = isRoom ? addRecord(slots, high, low) : detectState(slots, high, low)
      if (found === 'new' && isRoom) count += 1
      return found
    },
    isFull: () => count * 4 >= 2 * most,
  }
}

/** Records that were seen, so that a log that was collected twice is counted once. */
interface SeenRecords {
  /**
   * Adds a text if there is room.
   * @returns whether it was added before.
   */
  add(text: string): 'new' | 'seen'
  /** Whether a text found no room, so that later copies of it are counted again. */
  isFull(): boolean
}

function addRecord(slots: Uint32Array, high: number, low: number): 'new' | 'seen' {
  const at = locate(slots, high, low)
  if (slots[at] === high && slots[at + 1] === low) return 'seen'
  slots[at] = high
  slots[at + 1] = low
  return 'new'
}

function detectState(slots: Uint32Array, high: number, low: number): 'new' | 'seen' {
  const at = locate(slots, high, low)
  return slots[at] === high && slots[at + 1] === low ? 'seen' : 'new'
}

/** Locates the slot of a digest, or the free slot for it. */
function locate(slots: Uint32Array, high: number, low: number): number {
  let at = 2 * (high % (slots.length / 2))
  while (!(slots[at] === 0 && slots[at + 1] === 0) && !(slots[at] === high && slots[at + 1] === low)) {
    at = (at + 2) % slots.length
  }
  return at
}
