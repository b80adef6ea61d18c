/** How often each of some words was seen. Words come from logs, so there may be more of them than anybody wants to keep. */
export type Tally = Map<string, number>

/** As many words are told apart; a fleet has a dozen helpers, versions or sources. */
const mostWords = 200

/** Stands for every further word. */
export const otherWords = 'others'

/** Counts a word once more, or as often as it was counted elsewhere. */
export function addToTally(tally: Tally, word: string, count = 1): void {
  const kept = tally.has(word) || tally.size < mostWords ? word : otherWords
  tally.set(kept, (tally.get(kept) ?? 0) + count)
}

/** The words, the most frequent first. */
export function sortTally(tally: Tally): [word: string, count: number][] {
  return [...tally].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
}
