import { expect, test, vi } from 'vitest'
import { Deadline } from '../../src/runtime/deadline.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { useFakeTimers } from '../setup/fake-timers.ts'

const limit = { seconds: 58, hint: 'raise the limit' }

/** Returns a deadline as it looks `elapsedMs` after the start of the process. */
function deadlineAfter(elapsedMs: number): Deadline {
  return new Deadline(limit, { elapsedMs: () => elapsedMs })
}

const pause = <T>(ms: number, value?: T) => new Promise((passed) => setTimeout(passed, ms, value))

test.each([
  [0, 58_000],
  [1, 57_999],
  [57_999.5, 0.5],
  [58_000, 0],
  [90_000, 0],
])('%s ms after the start of the process %s ms remain', (elapsedMs, remainingMs) => {
  const deadline = deadlineAfter(elapsedMs)
  expect([deadline.remainingMs(), deadline.isOver()]).toEqual([remainingMs, remainingMs === 0])
})

test('the remaining time follows the clock', () => {
  let elapsedMs = 0
  const deadline = new Deadline(limit, { elapsedMs: () => elapsedMs })
  const before = deadline.remainingMs()
  elapsedMs += 8_000
  expect([before, deadline.remainingMs()]).toEqual([58_000, 50_000])
})

test('work that ends in time gives its value without an aborted signal', async () => {
  let given: AbortSignal | undefined
  const value = await deadlineAfter(0).during('mint', 'thinking', async ({ signal }) => {
    given = signal
    return 42
  })
  expect({ value, isAborted: given?.aborted }).toEqual({ value: 42, isAborted: false })
})

test('work that fails in time fails with its own error, thrown or rejected', async () => {
  const own = new Error('own')
  await expect(deadlineAfter(0).during('mint', 'thinking', () => Promise.reject(own))).rejects.toBe(own)
  const throwing = () => {
    throw own
  }
  await expect(deadlineAfter(0).during('mint', 'thinking', throwing)).rejects.toBe(own)
})

test('work that never ends is late, with its stage, the limit and the way out', async () => {
  let given: AbortSignal | undefined
  const late = deadlineAfter(57_990).during('mint', 'getting a token', ({ signal }) => {
    given = signal
    return new Promise(() => {})
  })
  const failure = await late.catch((thrown: unknown) => thrown)
  expect({ failure, isAborted: given?.aborted }).toEqual({
    failure: new HelperError('late', 'getting a token took longer than the 58 s of this call', 'raise the limit'),
    isAborted: true,
  })
})

test('the innermost stage that still runs is named', async () => {
  useFakeTimers()
  const never = () => new Promise<never>(() => {})
  const attempts = Array.from({ length: 50 }, async (_, index) => {
    const deadline = deadlineAfter(57_800)
    return deadline.during('mint', 'getting a token', async () => {
      await deadline.during('file', 'reading a file', async () => {})
      await pause(index % 5)
      return deadline.during('network', 'asking AWS', never)
    })
  })
  const settled = Promise.allSettled(attempts)
  await vi.advanceTimersByTimeAsync(201)
  const outcomes = await settled
  expect(new Set(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message))).toEqual(
    new Set(['asking AWS took longer than the 58 s of this call']),
  )
})

test('operations record the kind of the innermost stage that still ran', async () => {
  const deadline = deadlineAfter(57_980)
  const late = deadline.during('mint', 'getting a token', async () => {
    await deadline.during('file', 'reading a file', async () => {})
    return deadline.during('network', 'asking AWS', () => new Promise(() => {}))
  })
  expect(deadline.late).toBeUndefined()
  await late.catch(() => {})
  await deadline.during('output', 'stdout', () => new Promise(() => {})).catch(() => {})
  expect(deadline.late).toBe('network')
})

test.each([
  ['last', ['a file', 'asking AWS']],
  ['first', ['asking AWS', 'a file']],
])('the parallel stage that still runs is named, where it began %s', async (_, runs) => {
  const deadline = deadlineAfter(57_990)
  const [ends, stays] = [Promise.resolve(), new Promise<never>(() => {})]
  const stages = runs.map((stage) => deadline.during('mint', stage, () => (stage === 'a file' ? ends : stays)))
  const outcomes = await Promise.allSettled(stages)
  expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : []))).toEqual([
    'asking AWS took longer than the 58 s of this call',
  ])
})

test('the deadline stops both of two parallel stages', async () => {
  const signals: AbortSignal[] = []
  const deadline = deadlineAfter(57_990)
  const wait = (stage: string) =>
    deadline.during('mint', stage, ({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
  await Promise.race([wait('a file'), wait('asking AWS')]).catch(() => {})
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

test('once an inner stage is over, the outer one is named', async () => {
  const deadline = deadlineAfter(57_990)
  const late = deadline.during('mint', 'getting a token', async () => {
    await deadline.during('file', 'reading a file', () => Promise.reject(new Error('own'))).catch(() => {})
    return new Promise(() => {})
  })
  await expect(late).rejects.toEqual(
    new HelperError('late', 'getting a token took longer than the 58 s of this call', 'raise the limit'),
  )
})

test('past the deadline nothing is waited for', async () => {
  await expect(deadlineAfter(90_000).during('mint', 'x', () => new Promise(() => {}))).rejects.toEqual(
    new HelperError('late', 'x took longer than the 58 s of this call', 'raise the limit'),
  )
})

test('work that fails because it was aborted does not hide that the call is late', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const late = deadlineAfter(57_990).during(
    'mint',
    'x',
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => setImmediate(reject, new Error('aborted')))),
  )
  await expect(late).rejects.toEqual(
    new HelperError('late', 'x took longer than the 58 s of this call', 'raise the limit'),
  )
  // The first comes after the work has failed, the second after that was found to go unhandled.
  for (const _ of [1, 2]) await new Promise((done) => setImmediate(done))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('a stage that ended leaves no timer that keeps the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const deadline = deadlineAfter(0)
  await deadline.during('mint', 'x', async () => {})
  await deadline.during('mint', 'x', () => Promise.reject(new Error('own'))).catch(() => {})
  expect(timers()).toBe(before)
})

test('the deadline of an outer stage stops the inner ones at once, whose own timers may come later', async () => {
  let elapsedMs = 57_990
  const deadline = new Deadline(limit, { elapsedMs: () => elapsedMs })
  let inner: AbortSignal | undefined
  const late = deadline.during('mint', 'getting a token', () => {
    elapsedMs = 0
    return deadline.during('mint', 'a program', ({ signal }) => {
      inner = signal
      return new Promise(() => {})
    })
  })
  await expect(late).rejects.toEqual(
    new HelperError('late', 'a program took longer than the 58 s of this call', 'raise the limit'),
  )
  expect(inner?.aborted).toBe(true)
})

test('every stage is reported when it has ended, the inner one first', async () => {
  let elapsedMs = 1_000
  const seen: [stage: string, ms: number][] = []
  const deadline = new Deadline(limit, { elapsedMs: () => elapsedMs }, (...stage) => seen.push(stage))
  await deadline.during('mint', 'outer', () =>
    deadline.during(
      'mint',
      () => 'inner',
      async () => {
        elapsedMs += 5
      },
    ),
  )
  expect(seen).toEqual([
    ['inner', 5],
    ['outer', 5],
  ])
})

test('an inner stage is late as the outer one is, whatever its work throws when it is aborted', async () => {
  useFakeTimers()
  const deadline = deadlineAfter(57_000)
  let inner: unknown
  const aborted = ({ signal }: { signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  const outer = deadline.during('mint', 'thinking', async () => {
    // The timer of the outer stage fires first.
    await pause(5)
    await deadline.during('mint', 'asking', aborted).catch((error) => {
      inner = error
      throw error
    })
  })
  const late = new HelperError('late', 'asking took longer than the 58 s of this call', 'raise the limit')
  const told = expect(outer).rejects.toEqual(late)
  await vi.advanceTimersByTimeAsync(1_010)
  await told
  expect(inner).toEqual(late)
})

test('a shorter deadline ends its own work, but not work that would be lost', async () => {
  useFakeTimers()
  const whole = deadlineAfter(50_000)
  const brief = whole.shorten(2)
  const lost = brief.whole.during('network', 'using up a token', () => pause(6_000, 'the next token'))
  const told = expect(brief.during('network', 'asking', () => new Promise(() => {}))).rejects.toEqual(
    new HelperError('late', 'asking took longer than 2 s', 'raise the limit'),
  )
  await vi.advanceTimersByTimeAsync(6_000)
  await told
  expect([await lost, brief.late, whole.late]).toEqual(['the next token', 'network', undefined])
})

test('a shorter deadline is never later than that of the call', () => {
  const whole = deadlineAfter(50_000)
  const brief = whole.shorten(60)
  expect([brief.limit.seconds, brief.whole, whole.whole]).toEqual([58, whole, whole])
  expect([whole.longestPauseMs(), brief.remainingMs(), brief.longestPauseMs()]).toEqual([8000, 8000, 0])
})

test('an earlier deadline is made only where it is earlier', () => {
  const whole = deadlineAfter(50_000)
  expect([whole.withAtMost(8), whole.withAtMost(7).limit.seconds, whole.withAtMost(7).whole]).toEqual([
    whole,
    57,
    whole,
  ])
})

test('the end of a part of the call names the whole length of the call', async () => {
  const whole = deadlineAfter(57_500)
  const late = whole.leave(0.49).during('network', 'asking', () => new Promise(() => {}))
  await expect(late).rejects.toEqual(
    new HelperError('late', 'asking took longer than the 58 s of this call', 'raise the limit'),
  )
  expect([whole.isOver(), whole.late]).toEqual([false, 'network'])
})

test('the innermost wait is described in the words of the moment', async () => {
  const deadline = deadlineAfter(0)
  let words = 'connecting'
  const tell = async () => deadline.describeStage()
  const told = await deadline.during('mint', 'getting a token', async () => {
    const outer = await tell()
    const inner = await deadline.during(
      'network',
      () => words,
      async () => {
        const first = await tell()
        words = 'reading'
        return [first, await tell()]
      },
    )
    return [outer, ...inner, await tell()]
  })
  expect([...told, deadline.describeStage()]).toEqual([
    'getting a token',
    'connecting',
    'reading',
    'getting a token',
    undefined,
  ])
})
