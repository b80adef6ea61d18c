import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import type { StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { countAtOnce } from '../../../setup/count-at-once.ts'
import { failureOf } from '../../../setup/failure-parts.ts'
import { type PreparedRun, prepareRun } from '../../../setup/prepare-run.ts'
import { fails } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { toStableValue } from '../../../setup/to-stable-text.ts'
import { isRoot } from '../../../setup/unprivileged.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { startMount } from '../../../stand-ins/mount/start-mount.ts'
import { deadline, keep, startStore, toPlain } from './made-up-sign-in.ts'
import { toSignIn } from './plain-sign-in.ts'
import { bundleProgram, startSignedIn } from './start-signed-in.ts'

type SignedIn = Awaited<ReturnType<typeof startSignedIn>>

const tokenOf = (stdout: string) => (JSON.parse(stdout) as { token: string }).token

/** Returns the outcomes of runs that begin at once. */
async function runAtOnce(runs: readonly PreparedRun[]) {
  const outcomes = await Promise.all(runs.map((run) => run.begin()))
  const distinct = (texts: readonly (string | number)[]) => [...new Set(texts)]
  return {
    statuses: distinct(outcomes.map(({ status }) => status)),
    said: distinct(outcomes.map(({ stderr }) => stderr)),
    tokens: distinct(outcomes.map(({ stdout }) => tokenOf(stdout))).length,
  }
}

const runOnce = ({ prepare }: SignedIn, argv: readonly string[] = [], env = {}) => prepare(argv, env).begin()

const renewals = ({ provider }: SignedIn) => provider.requests('token', 'refresh_token').map(({ status }) => status)

const printed = { status: 0, stdout: '{"token":"TOKEN"}\n', stderr: '' }
const nobodySignedIn =
  'signed-in: nobody is signed in to 127.0.0.1:PORT\nsigned-in: hint: start a new session, in which a person can sign in\n'
const anew = { NEW_FOR_MS: '0' }

test.each([
  ['oidc-token', ({ prepareOidcToken }: SignedIn) => prepareOidcToken()],
  ['a helper without a cache', ({ prepare }: SignedIn) => prepare(['--cache', 'none'])],
])('fifty runs of %s at the end of a sign-in make one renewal', async (_, prepare) => {
  const desk = await startSignedIn()
  const runs = Array.from({ length: countAtOnce(50) }, () => prepare(desk))
  const first = [await runAtOnce(runs), renewals(desk)]
  // The refresh token that is kept is the one that is good.
  const next = [toStableValue(await runOnce(desk, ['--cache', 'none'], anew)), renewals(desk)]
  expect({ first, next }).toEqual({
    first: [{ statuses: [0], said: [''], tokens: 1 }, [200]],
    next: [printed, [200, 200]],
  })
})

test('a sign-in is whole after any run was killed, and lost only with the answer of the provider', async () => {
  const desk = await startSignedIn()
  const { store, readId, signIn, files, warnings, prepare } = desk
  let [killed, lost] = [0, 0]
  for (let round = 0; round < 12; round += 1) {
    const before = renewals(desk).length
    const victims = [prepare(['--cache', 'none'], anew), prepare(['--cache', 'none'], anew)]
    for (const victim of victims) victim.begin()
    await Promise.all(victims.map(({ kill }, index) => sleep(60 + 20 * round + 10 * index).then(() => kill('SIGKILL'))))
    killed += (await Promise.all(victims.map(({ outcome }) => outcome))).filter(
      ({ status }) => status === 'SIGKILL',
    ).length
    expect([round, await readId()]).toEqual([round, expect.any(String)])
    const { status, stderr } = await runOnce(desk, ['--cache', 'none'], anew)
    if (status !== 0) {
      // The provider has renewed it for a run that was killed before it had kept that.
      const found = {
        status,
        stderr,
        isRenewedTwice: renewals(desk).length > before + 1,
        kept: [await store.read(deadline), await readId()],
      }
      expect({ round, found }).toEqual({
        round,
        found: {
          status: 4,
          stderr: expect.stringContaining('sign in again'),
          isRenewedTwice: true,
          kept: [undefined, undefined],
        },
      })
      lost += 1
      await signIn()
    }
  }
  expect({ warnings, files: await readdir(files.directory) }).toEqual({
    warnings: [],
    files: [`${files.name}.lock`, `${files.name}.sealed`],
  })
  expect([killed > 5, lost < killed / 3]).toEqual([true, true])
})

test('a process that is killed while it writes leaves the old sign-in or the new one', async () => {
  const { store, readId, files, warnings, host } = await startStore()
  const program = await bundleProgram('endless-writer')
  for (let round = 0; round < 12; round += 1) {
    const before = await readId()
    const writer = prepareRun(program, [], { HOME: host.home, ID: `round-${round}` })
    writer.begin()
    await waitUntil('it writes', async () => (await readId()) !== before)
    await sleep(2.5 * round)
    writer.kill('SIGKILL')
    const outcome = await writer.outcome
    const found = await store.read(deadline)
    // The file that it had written and not renamed is put in place.
    const current = await store.change(deadline, { make: async () => undefined })
    expect({ outcome, id: current?.id, newer: numberOf(current) - numberOf(found) }).toEqual({
      outcome: { status: 'SIGKILL', stdout: '', stderr: '' },
      id: `round-${round}`,
      newer: expect.toBeOneOf([0, 1]),
    })
  }
  const kept = (await readdir(files.directory)).filter((name) => name.endsWith('.sealed'))
  expect({ warnings, kept }).toEqual({ warnings: [], kept: [`${files.name}.sealed`] })
})

const numberOf = (signIn: StoredSignIn | undefined) => Number(signIn?.tokens.refreshToken?.reveal().split('-')[1] ?? 0)

test('a lost answer of the provider is asked for once more', async () => {
  const desk = await startSignedIn()
  desk.provider.fail('token', 'lost')
  const outcomes = toStableValue([await runOnce(desk), await runOnce(desk)])
  expect({ outcomes, renewals: renewals(desk) }).toEqual({
    outcomes: [
      {
        status: 4,
        stdout: '',
        stderr:
          'signed-in: the sign-in to 127.0.0.1:PORT has ended (invalid_grant); it says: grant request is invalid\nsigned-in: hint: start a new session, so that a person can sign in\n',
      },
      { status: 4, stdout: '', stderr: nobodySignedIn },
    ],
    renewals: [200, 400],
  })
})

test('a provider that is away takes nothing from a sign-in', async () => {
  const desk = await startSignedIn()
  await desk.provider.goDown()
  expect(toStableValue(await runOnce(desk))).toEqual(
    fails('signed-in', 6, '127.0.0.1:PORT cannot be reached (ECONNREFUSED)', 'check what runs at 127.0.0.1:PORT'),
  )
  await desk.provider.comeBack()
  expect(toStableValue(await runOnce(desk))).toEqual(printed)
})

test('a sign-out while runs renew ends the sign-in', async () => {
  const desk = await startSignedIn()
  const subject = new URL(desk.provider.issuer).host
  const runs = Array.from({ length: 8 }, () => desk.prepare(['--cache', 'none'], anew))
  const leaving = desk.prepare(['sign-out'])
  for (const run of [...runs, leaving]) run.begin()
  const signedOut = await leaving.outcome
  const statuses = await Promise.all(runs.map(async ({ outcome }) => (await outcome).status))
  expect({
    signedOut,
    otherStatuses: statuses.filter((status) => status !== 0 && status !== 4),
    revocations: desk.provider.requests('revocation').map(({ status }) => status),
    id: await desk.readId(),
    run: toStableValue(await runOnce(desk)),
    again: await runOnce(desk, ['sign-out']),
    keys: await readdir(desk.files.keyDirectory),
  }).toEqual({
    signedOut: { status: 0, stdout: '', stderr: `signed-in: signed out of ${subject}\n` },
    otherStatuses: [],
    revocations: [200, 200],
    id: undefined,
    run: { status: 4, stdout: '', stderr: nobodySignedIn },
    again: { status: 0, stdout: '', stderr: `signed-in: nobody was signed in to ${subject}\n` },
    keys: [],
  })
})

test('an offline sign-out forgets the sign-in, and says that the provider was not told', async () => {
  const desk = await startSignedIn()
  await desk.provider.goDown()
  const outcome = toStableValue(await runOnce(desk, ['sign-out']))
  expect({ ...outcome, id: await desk.readId() }).toEqual({
    status: 0,
    stdout: '',
    stderr: `\
signed-in: warning: 127.0.0.1:PORT was not told of the sign-out: 127.0.0.1:PORT cannot be reached (ECONNREFUSED); the tokens that it has issued stay valid until they expire
signed-in: signed out of 127.0.0.1:PORT
`,
    id: undefined,
  })
})

/** Mounts the directory of the sign-ins in a home, as a file system of a few pages. `fill` leaves no room in it. */
async function mountSmallStore(home: string) {
  const directory = join(home, '.local', 'state', 'gatepass', 'sign-ins')
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
  await mkdir(directory, { mode: 0o700 })
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=32k,mode=0700', 'tmpfs', directory])
  onTestFinished(async () => void (await execa('umount', ['--lazy', directory])))
  return { fill: () => writeFile(join(directory, 'filler'), 'x'.repeat(65_536)).catch(() => undefined) }
}

test.runIf(isRoot)('a renewed sign-in takes the room of the one before on a full disk', async () => {
  const home = await temporaryDirectory()
  const { fill } = await mountSmallStore(home)
  const desk = await startSignedIn({}, home)
  await fill()
  const run = () => runOnce(desk, ['--cache', 'none'], anew)
  const outcomes = toStableValue([await run(), await run()])
  expect({ outcomes, renewals: renewals(desk) }).toEqual({ outcomes: [printed, printed], renewals: [200, 200] })
})

const renewedAt = (toSignIn().renewedAt ?? 0) + 1

test.runIf(isRoot).each<[what: string, next: StoredSignIn, isStored: boolean]>([
  ['its renewal with a new refresh token', toSignIn(2), true],
  ['its renewal with the same refresh token', { ...toSignIn(), renewedAt }, true],
  ['the same sign-in with a challenge', { ...toSignIn(), challenge: { maxAge: 5 } }, false],
  ['another sign-in', toSignIn(2, 'two'), false],
])('%s replaces a kept sign-in on a full disk, or is refused', async (_, next, isStored) => {
  const { store, host, files } = await startStore()
  const { fill } = await mountSmallStore(host.home)
  await keep(store, toSignIn())
  await fill()
  const failure = ['not-configured', `cannot write ${files.sealed} (ENOSPC)`, 'make room on the disk']
  expect(await failureOf(keep(store, next))).toEqual(isStored ? 'no failure' : failure)
  expect(toPlain(await store.read(deadline))).toEqual(toPlain(isStored ? next : toSignIn()))
})

test.runIf(isRoot)('nobody is asked to sign in where there is no room for a sign-in', async () => {
  const { store, host, files } = await startStore()
  const { fill } = await mountSmallStore(host.home)
  await store.prepare(deadline)
  await fill()
  expect(await failureOf(store.prepare(deadline))).toEqual([
    'not-configured',
    `cannot write ${files.draft} (ENOSPC)`,
    'make room on the disk',
  ])
  expect((await readdir(files.directory)).sort()).toEqual(['filler', `${files.name}.lock`].sort())
})

test('a directory that does not respond costs a run its token, but not its deadline', async () => {
  const mount = await startMount(await temporaryDirectory())
  onTestFinished(() => mount[Symbol.asyncDispose]())
  const desk = await startSignedIn()
  const state = join(mount.path, 'state')
  await mkdir(state, { mode: 0o700 })
  mount.stop()
  const begin = performance.now()
  const outcome = await runOnce(desk, ['--client-timeout', '5'], { XDG_STATE_HOME: state })
  expect({ ...toStableValue(outcome), isInTime: performance.now() - begin < 5_000 }).toEqual({
    status: 7,
    stdout: '',
    stderr: `\
signed-in: reading the configuration (waiting for TEMPORARY/mount/state/gatepass/sign-ins/KEY.sealed) took longer than the 3 s of this call
signed-in: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here
`,
    isInTime: true,
  })
})
