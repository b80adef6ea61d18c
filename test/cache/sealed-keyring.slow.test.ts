import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { countAtOnce } from '../setup/count-at-once.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { prints } from '../setup/run-program.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { findKeyringProcess, startGnomeKeyring } from '../stand-ins/keyring/keyrings.ts'
import { startSession } from '../stand-ins/keyring/start-session.ts'
import { findReadable, program, startSealedDesk, token } from './sealed-desk.ts'
import { cacheIn, listCache, summarize } from './start-run.ts'

const printed = (number: number, stderr = '') =>
  prints(`{"token":"${token(number)}","headers":{"X-Key":"0"}}\n`, stderr)
const notStored = (reason: string) => `${program}: warning: cannot store the token for the next run: ${reason}\n`

test('fifty runs at once share one mint, and leave nothing readable of the token in the home directory', async () => {
  const session = await startGnomeKeyring('unlocked')
  const desk = await startSealedDesk(session)
  const summary = await summarize(desk.runs(countAtOnce(50)))
  const readable = await findReadable(session.home, token(1))
  // Otherwise an empty list of what is readable would prove nothing.
  await writeFile(join(session.home, 'copy'), `x${Buffer.from(token(1)).toString('base64')}`)
  const planted = await findReadable(session.home, token(1))
  expect({ ...summary, mints: desk.mints(), kinds: await desk.kinds(), readable, planted }).toEqual({
    statuses: ['0'],
    tokens: [token(1)],
    said: [''],
    mints: 1,
    kinds: ['lock', 'sealed', 'served'],
    readable: [],
    planted: [join(session.home, 'copy')],
  })
})

test('with a locked keyring a silent call mints, and shows no dialog', async () => {
  const session = await startGnomeKeyring('locked', { env: { DISPLAY: ':99' } })
  const desk = await startSealedDesk(session)
  const bus = 'org.freedesktop.DBus'
  const prompter = 'string:org.gnome.keyring.SystemPrompter'
  expect({
    runs: [await desk.run(), await desk.run()],
    kinds: await desk.kinds(),
    readable: await findReadable(session.home, token(2)),
    hasDialog: await session.call(bus, '/org/freedesktop/DBus', `${bus}.NameHasOwner`, prompter),
  }).toEqual({
    runs: [1, 2].map((number) => printed(number, notStored('the keyring is locked'))),
    kinds: ['lock', 'served'],
    readable: [],
    hasDialog: 'boolean false',
  })
})

test('many runs wait once for a keyring service that hangs', async () => {
  const session = await startGnomeKeyring('unlocked')
  const desk = await startSealedDesk(session)
  const keyring = await findKeyringProcess(session)
  process.kill(keyring, 'SIGSTOP')
  const begin = Date.now()
  const { statuses, tokens, said } = await summarize(desk.runs(4))
  const isInTime = Date.now() - begin < 9_000
  const [kinds, readable] = [await desk.kinds(), await findReadable(session.home, token(1))]
  expect({ statuses, said, mints: tokens.length, isInTime, kinds, readable }).toEqual({
    statuses: ['0'],
    said: [notStored(`the Secret Service did not answer within 5 s (process ${keyring})`)],
    mints: 4,
    isInTime: true,
    kinds: ['lock', 'served'],
    readable: [],
  })
})

test('without a keyring service a call mints, and removes the entry that is not sealed', async () => {
  const session = await startSession({ installed: false })
  const desk = await startSealedDesk(session)
  await desk.run({ env: { GATEPASS_CACHE: 'disk' } })
  const absent = 'no Secret Service is running in this session, and the system knows none that it could start'
  expect(await desk.run()).toEqual(printed(2, notStored(absent)))
  expect([await desk.kinds(), await findReadable(session.home, token(1))]).toEqual([['lock', 'served'], []])
})

test('a sealed entry replaces one on disk, is listed and can be cleared', async () => {
  const session = await startGnomeKeyring('unlocked')
  const desk = await startSealedDesk(session)
  const onDisk = await desk.run({ env: { GATEPASS_CACHE: 'disk' } })
  const readableBefore = await findReadable(session.home, token(1))
  const sealed = [await desk.run(), await desk.run()]
  const readable = await findReadable(session.home, token(1))
  const cache = (...argv: string[]) => runBundle('gatepass', { argv: ['cache', ...argv], env: session.env })
  const listed = await cache('list')
  const cleared = await cache('clear')
  const left = (await listCache(desk)).filter((name) => name.endsWith('sealed'))
  expect({
    runs: [onDisk, ...sealed, await desk.run()],
    readableBefore: readableBefore.map(dirname),
    readable,
    listed: { ...listed, stdout: listed.stdout.split('\n')[0], hasToken: listed.stdout.includes(token(2)) },
    cleared,
    left,
  }).toEqual({
    runs: [printed(1), printed(2), printed(2), printed(3)],
    readableBefore: [cacheIn(desk)],
    readable: [],
    listed: { status: 0, stdout: 'workload-token  59 min left, sealed', stderr: '', hasToken: false },
    cleared: { status: 0, stdout: `1 token removed from ${cacheIn(desk)}.\n`, stderr: '' },
    left: [],
  })
})

test('no argument moves the cache to the disk where the file of the machine locks it to the keychain', async () => {
  const session = await startGnomeKeyring('unlocked')
  const desk = await startSealedDesk(session)
  const outcome = await desk.runOnMachine({ cache: 'keychain', locked: ['cache'] }, ['--cache', 'disk'])
  expect({ outcome, readable: await findReadable(session.home, token(1)), kinds: await desk.kinds() }).toEqual({
    outcome: printed(1),
    readable: [],
    kinds: ['lock', 'sealed'],
  })
})

test('the note of a token that kubectl was given holds nothing of the sealed token', async () => {
  const session = await startGnomeKeyring('unlocked')
  const desk = await startSealedDesk(session)
  const argv = ['--no-headers', '--format', 'exec-credential']
  const stdout = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token(1)}","expirationTimestamp":"DATE"}}\n`
  const outcome = toStableValue(await desk.run({ argv }))
  expect([outcome, await desk.kinds(), await findReadable(session.home, token(1))]).toEqual([
    { status: 0, stdout, stderr: '' },
    ['lock', 'sealed', 'served'],
    [],
  ])
})
