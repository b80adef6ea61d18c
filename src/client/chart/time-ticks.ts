const minuteMs = 60_000
const dayMs = 1440 * minuteMs

const tickSteps = [
  1, 5, 15, 30, 60, 180, 360, 720, 1440, 2880, 10_080, 20_160, 40_320, 524_160, 5_241_600, 52_416_000, 524_160_000,
].map((minutes) => minutes * minuteMs)

/** Names for some of these moments, in milliseconds since the epoch: at most twelve, at round times in UTC. */
export function nameMoments(moments: readonly number[]): (string | undefined)[] {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  const step = tickSteps.find((ms) => (last - first) / ms <= 12) ?? tickSteps.at(-1)!
  // A round number of days has no round beginning, so that these are counted from the first.
  const from = step > dayMs ? first : 0
  return moments.map((at) => ((at - from) % step === 0 ? nameMoment(at, step) : undefined))
}

/** The day at midnight and where nothing shorter is shown, otherwise the time; the year where it changes. */
function nameMoment(at: number, step: number): string {
  const text = new Date(at).toISOString()
  if (step >= 365 * dayMs - dayMs) return text.slice(0, 4)
  return at % dayMs === 0 ? text.slice(5, 10) : text.slice(11, 16)
}
