/** Knows which runs went on at the same time as one that may open a browser. */
export interface PromptingRuns {
  /** Notes that a run starts. What it gives ends the run, and says whether it is a silent one that had such a run beside it. */
  start(mayPrompt: boolean): () => boolean
}

/** Without runs yet. */
export function createPromptingRuns(): PromptingRuns {
  let started = 0
  let active = 0
  return {
    start: (mayPrompt) => {
      const startedBefore = started
      const isBeside = active > 0
      if (mayPrompt) {
        started += 1
        active += 1
      }
      return () => {
        if (mayPrompt) active -= 1
        return !mayPrompt && (isBeside || started > startedBefore)
      }
    },
  }
}
