import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStsCaller, type StandInCaller, startSts } from '../../../src/gateway/start-sts.ts'
import { ask, startVerifierProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { encodeUrl, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'

const laneBounds = { places: 100, heldMs: 1_000 }

const audience = 'gateway.example'
const callers = Array.from({ length: 26 }, (_, count) =>
  createStsCaller(`arn:aws:iam::111122223333:user/user-${count}`),
)
const outsider = createStsCaller('arn:aws:iam::999988887777:user/anybody')

/** Starts the built verifier, and a stand-in for AWS STS that notes what it answers. */
async function startStage() {
  const answered = { good: 0, refused: 0 }
  const onAnswer = (line: string) => {
    answered[line.startsWith('200') ? 'good' : 'refused'] += 1
  }
  const sts = await startSts({ callers: [...callers, outsider], port: 0, now: Date.now, onAnswer })
  onTestFinished(() => sts.close())
  const policy = join(await temporaryDirectory(), 'policy.json')
  const rule = { name: 'people', aws: { accounts: ['111122223333'] }, headers: { 'x-user': '{arn}' } }
  await writeFile(policy, JSON.stringify({ aws: { audience }, rules: [rule] }), { mode: 0o600 })
  const { addresses } = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--sts-stand-in', sts.url],
  )
  return { answered, address: addresses.listen }
}

let age = 0
/** Another one each time. */
async function prove({ accessKeyId, secretAccessKey }: StandInCaller): Promise<string> {
  age = (age + 1) % 600
  const credentials = { accessKeyId, secretAccessKey: secretAccessKey.reveal() }
  return encodeUrl(await signUrl({ credentials, audience, at: Date.now() - age * 1000 }))
}

const template = Buffer.from((await prove(callers[0]!)).slice('k8s-aws-v1.'.length), 'base64url').toString()
/** In the form of a good one, signed by nobody. */
function makeUp(accessKeyId: string): string {
  const signature = randomBytes(32).toString('hex')
  return encodeUrl(template.replace(callers[0]!.accessKeyId, accessKeyId).replace(/[0-9a-f]{64}$/, signature))
}
const makeUpKey = () => `AKIA${randomBytes(8).toString('hex').toUpperCase()}`

/** Connections that send one proof after the other until the test ends. */
function flood(address: string, connections: number, next: () => string | Promise<string>) {
  const words: Record<string, number> = {}
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let isOver = false
  const send = async () => {
    while (!isOver) {
      const word = toWord(await ask(address, await next(), agent))
      words[word] = (words[word] ?? 0) + 1
    }
  }
  const sent = Promise.all(Array.from({ length: connections }, send))
  const stop = async () => {
    isOver = true
    await sent
  }
  onTestFinished(async () => {
    agent.destroy()
    await stop()
  })
  return { words, stop }
}

function toWord(answer: Awaited<ReturnType<typeof ask>>): string {
  if ('code' in answer) return answer.code
  return String(answer.headers['gatepass-refusal'] ?? answer.status)
}

async function measure(address: string, token: string) {
  const startedAt = performance.now()
  return { word: toWord(await ask(address, token)), sec: (performance.now() - startedAt) / 1000 }
}

const pass = (count: number) => Array.from({ length: count }, () => '200')

test('130 connections with a new made-up access key for each proof refuse none of 25 honest callers, known and new', async () => {
  const { answered, address } = await startStage()
  const known = callers.slice(0, 12)
  const kept = await Promise.all(known.map(prove))
  const first = await Promise.all(kept.map(async (token) => (await measure(address, token)).word))
  const startedAt = performance.now()
  const { words, stop } = flood(address, 130, () => makeUp(makeUpKey()))
  await expect.poll(() => answered.refused).toBeGreaterThan(50)
  const honest = await Promise.all(callers.slice(0, 25).map(async (caller) => measure(address, await prove(caller))))
  await expect.poll(() => answered.refused).toBeGreaterThan(3 * laneBounds.places)
  const before = answered.good
  const again = await Promise.all(kept.map((token) => measure(address, token)))
  const askedAgain = answered.good - before
  const sec = (performance.now() - startedAt) / 1000
  const { refused } = answered
  await stop()
  expect({
    first,
    honest: honest.map(({ word }) => word),
    again: again.map(({ word }) => word),
    askedAgain,
    words: Object.keys(words),
    isBounded: refused <= laneBounds.places * (sec / (laneBounds.heldMs / 1000) + 1),
  }).toEqual({
    first: pass(12),
    honest: pass(25),
    again: pass(12),
    askedAgain: 0,
    words: ['aws-refused'],
    isBounded: true,
  })
  // 130 connections wait behind 100 places that are free again after a second; the rest is for a busy machine.
  expect(Math.max(...honest.map((each) => each.sec))).toBeLessThan(8)
})

test('bad proofs under the access keys of others delay nobody', async () => {
  const { answered, address } = await startStage()
  const [victim, other, unseen] = [callers[0]!, callers[1]!, callers[2]!]
  const known = []
  for (const caller of [victim, other]) known.push((await measure(address, await prove(caller))).word)
  const madeUp = []
  for (const caller of [victim, unseen])
    for (let count = 0; count < 8; count += 1) madeUp.push((await measure(address, makeUp(caller.accessKeyId))).word)
  const afterwards = await Promise.all([victim, unseen].map(async (caller) => measure(address, await prove(caller))))
  const { words } = flood(address, 130, () => makeUp(victim.accessKeyId))
  await expect.poll(() => answered.refused).toBeGreaterThan(150)
  const meanwhile = await Promise.all([victim, other].map(async (caller) => measure(address, await prove(caller))))
  expect({
    known,
    madeUp: new Set(madeUp),
    flood: Object.keys(words),
    afterwards: afterwards.map(({ word, sec }) => [word, sec < 0.4]),
    meanwhile: meanwhile.map(({ word, sec }) => [word, sec < 8]),
  }).toEqual({
    known: pass(2),
    madeUp: new Set(['aws-refused']),
    flood: ['aws-refused'],
    afterwards: Array(2).fill(['200', true]),
    meanwhile: Array(2).fill(['200', true]),
  })
})

test('good proofs of an account without a rule delay nobody else', async () => {
  const { answered, address } = await startStage()
  expect((await measure(address, await prove(callers[0]!))).word).toBe('200')
  const before = answered.good
  const startedAt = performance.now()
  let count = 0
  const credentials = { accessKeyId: outsider.accessKeyId, secretAccessKey: outsider.secretAccessKey.reveal() }
  const { words } = flood(address, 130, async () => {
    count += 1
    return encodeUrl(await signUrl({ credentials, audience, at: Date.now(), expiresIn: 1 + (count % 900) }))
  })
  await expect.poll(() => answered.good - before).toBeGreaterThan(150)
  const honest = await Promise.all(callers.slice(0, 25).map(async (caller) => measure(address, await prove(caller))))
  const sec = (performance.now() - startedAt) / 1000
  expect({
    honest: honest.map(({ word }) => word),
    words: Object.keys(words),
    isBounded: answered.good - before - 25 <= laneBounds.places * (sec / (laneBounds.heldMs / 1000) + 1),
  }).toEqual({ honest: pass(25), words: ['no-rule'], isBounded: true })
})

test('a thousand connections with made-up proofs refuse nobody who is known', async () => {
  const { answered, address } = await startStage()
  const known = callers.slice(0, 12)
  for (const caller of known) expect((await measure(address, await prove(caller))).word).toBe('200')
  flood(address, 1_500, () => makeUp(makeUpKey()))
  await expect.poll(() => answered.refused).toBeGreaterThan(150)
  const honest = await Promise.all(known.map(async (caller) => measure(address, await prove(caller))))
  expect(honest.map(({ word }) => word)).toEqual(pass(12))
})
