import { expect, onTestFinished, test, vi } from 'vitest'
import { createProofLanes } from '../../../src/verify/aws/proof-lanes.ts'
import { type Identity, TokenRefusal } from '../../../src/verify/verdict.ts'

const laneBounds = { places: 100, heldMs: 1_000, waiting: 1_000, waitedMs: 10_000, refusedMs: 60_000 }

const turn = () => new Promise((resolve) => setImmediate(resolve))

const dana: Identity = {
  kind: 'aws-identity',
  issuer: 'sts.amazonaws.com',
  subject: 'dana',
  claims: {},
  issuedAt: 0,
  expiresAt: 0,
}

/** Lanes whose time passes where a test says so, and what AWS STS was asked. */
function createStage() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const lanes = createProofLanes()
  const asked: string[] = []
  const send = (key: string, outcome: 'good' | 'bad' | 'stranger' | Promise<never>) =>
    lanes(
      key,
      async () => {
        asked.push(key)
        await turn()
        if (outcome === 'bad') throw new TokenRefusal('aws-refused')
        return typeof outcome === 'string' ? dana : outcome
      },
      () => outcome === 'good',
    ).then(
      () => 'answered',
      ({ reason }: TokenRefusal) => reason,
    )
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    for (let count = 0; count < 5; count += 1) await turn()
  }
  return {
    send,
    asked,
    pass,
    sendMany: (count: number, ...of: Parameters<typeof send>) => repeat(count, () => send(...of)),
  }
}

const repeat = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const never = new Promise<never>(() => {})

test('bad proofs of new access keys take at most the places of a second, and a good one takes its turn', async () => {
  const { send, asked, pass } = createStage()
  for (let count = 0; count < 130; count += 1) void send(`MADE-UP-${count}`, 'bad')
  const honest = send('HONEST', 'good')
  await pass(0)
  const atOnce = asked.length
  await pass(laneBounds.heldMs)
  expect({ atOnce, honest: await honest, all: asked.length, last: asked.at(-1) }).toEqual({
    atOnce: laneBounds.places,
    honest: 'answered',
    all: 131,
    last: 'HONEST',
  })
})

test('good proofs keep their places no longer than AWS STS takes', async () => {
  const { send, asked, pass } = createStage()
  const sent = repeat(400, (at) => send(`HONEST-${at}`, 'good'))
  await pass(0)
  await pass(0)
  expect([new Set(await Promise.all(sent)), asked.length]).toEqual([new Set(['answered']), 400])
})

test.each<[flood: string, key: string, outcome: 'bad' | 'stranger', delays: readonly string[]]>([
  ['made-up access keys', 'MADE-UP', 'bad', ['NEW']],
  ['an account without a rule', 'OUTSIDER', 'stranger', ['NEW']],
  ['the access key of somebody known', 'VICTIM', 'bad', ['VICTIM']],
  ['the access key of somebody new', 'UNSEEN', 'bad', ['UNSEEN']],
])(
  'a flood of proofs of %s delays nobody of another kind, and its own kind for a turn',
  async (_, key, outcome, delays) => {
    const { send, asked, pass } = createStage()
    for (const each of ['KNOWN', 'VICTIM']) await send(each, 'good')
    for (const each of ['VICTIM', 'UNSEEN']) await send(each, 'bad')
    await pass(laneBounds.heldMs)
    for (let count = 0; count < 130; count += 1)
      void send(outcome === 'bad' && key === 'MADE-UP' ? `${key}-${count}` : key, outcome)
    await pass(0)
    const before = asked.length
    const answers = ['KNOWN', 'VICTIM', 'NEW', 'UNSEEN'].map((each) => send(each, 'good'))
    await pass(0)
    const undelayed = ['KNOWN', 'VICTIM', 'NEW', 'UNSEEN'].filter((each) => !delays.includes(each))
    expect(asked.slice(before)).toEqual(undelayed)
    await pass(laneBounds.heldMs)
    expect(await Promise.all(answers)).toEqual(repeat(4, () => 'answered'))
  },
)

test('a flood that begins under a known access key leaves the lane of the others at once', async () => {
  const { send, sendMany, asked, pass } = createStage()
  for (const each of ['KNOWN', 'VICTIM']) await send(each, 'good')
  void sendMany(500, 'VICTIM', 'bad')
  const other = send('KNOWN', 'good')
  await pass(0)
  // Those that were on their way before the first one was refused, and then those of the lane of refused access keys.
  expect([await other, asked.length]).toEqual(['answered', 2 + 2 * laneBounds.places + 1])
})

test('a refused access key is remembered for a minute, and a good one until no rule lets it pass', async () => {
  const { send, sendMany, asked, pass } = createStage()
  await send('VICTIM', 'good')
  await send('VICTIM', 'bad')
  void sendMany(laneBounds.places, 'VICTIM', never)
  await pass(0)
  await pass(laneBounds.refusedMs)
  expect(await send('VICTIM', 'good')).toBe('answered') // in the lane of known ones, which is empty
  await send('VICTIM', 'stranger')
  void sendMany(laneBounds.places, 'NEW', never)
  await pass(0)
  const before = asked.length
  void send('VICTIM', 'good')
  await pass(0)
  expect(asked.length).toBe(before) // it waits with new ones
})

test('a proof beyond the bounds is refused as overloaded', async () => {
  const { send, sendMany, pass } = createStage()
  void sendMany(laneBounds.places, 'SLOW', 'bad')
  const waiting = sendMany(laneBounds.waiting, 'SLOW', never)
  const oneMore = await send('ONE-MORE', 'good')
  await pass(laneBounds.waitedMs + 1)
  expect({ oneMore, waiting: new Set(await Promise.all(waiting)), later: await send('LATER', 'good') }).toEqual({
    oneMore: 'overloaded',
    waiting: new Set(['overloaded']),
    later: 'answered',
  })
})
