import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { renderSenderSettings, type SenderSettings } from '../../../src/outcomes/sender-settings.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import { startCollector } from '../../stand-ins/collector/collector.ts'
import { startMuteServer } from '../../stand-ins/deaf-servers.ts'
import { startMount } from '../../stand-ins/mount/start-mount.ts'

const helper = 'command-token'
const token = JSON.stringify({ token: 'once', expires_in: 7200 })
const line = (status: number) =>
  `{"time":1790000000000,"helper":"${helper}","version":"1.2.3","context":"unknown","format":"json","outcome":"success","status":${status},"ms":1}\n`

/** Prepares a cache directory that is about to be, and a call that tells a collector. */
async function startDesk(endpoint = 'http://127.0.0.1:1') {
  const home = await temporaryDirectory()
  const directory = join(home, 'cache', 'gatepass')
  const argv = ['/bin/sh', '-c', `echo '${token}'`].map((word) => `--command=${word}`)
  const env = { HOME: home, PATH: '/usr/bin:/bin', GATEPASS_OTLP_ENDPOINT: endpoint }
  return {
    home,
    directory,
    spool: join(directory, 'outcomes.spool'),
    /** Is killed after a time. */
    call: async (XDG_CACHE_HOME = join(home, 'cache'), timeout = 15_000) => {
      const { exitCode, signal, stdout, stderr } = await execa(process.execPath, [toBundlePath(helper), ...argv], {
        env: { ...env, XDG_CACHE_HOME },
        ...({ extendEnv: false, reject: false, stripFinalNewline: false, timeout, killSignal: 'SIGKILL' } as const),
      })
      return { status: exitCode ?? signal, stdout, stderr }
    },
    /** Starts the process that sends what is there. */
    startSender: (to: string) => {
      const settings: SenderSettings = {
        directory,
        seconds: 10,
        version: '1.2.3',
        systemLog: false,
        endpoint: to,
        resource: [],
      }
      const sender = execa(process.execPath, [toBundlePath(helper), 'send-outcomes'], {
        env: { HOME: home, GATEPASS_OUTCOME_ORDER: renderSenderSettings(settings) },
        ...({ extendEnv: false, reject: false } as const),
      })
      onTestFinished(() => void sender.kill('SIGKILL'))
      return sender
    },
    list: async () => (await readdir(directory)).filter((name) => /^outcomes\.[^t]/.test(name)),
  }
}
const printed = { status: 0, stdout: '{"token":"once"}\n', stderr: '' }

test('a line that a killed sender had claimed is sent once by a later one', async () => {
  const desk = await startDesk()
  await mkdir(desk.directory, { recursive: true, mode: 0o700 })
  await writeFile(desk.spool, line(41), { mode: 0o600 })
  const killed = desk.startSender(`http://127.0.0.1:${await startMuteServer()}`)
  await waitUntil('the line is claimed', async () =>
    /^outcomes\.claimed-all-\d+-\d+-\d+$/.test(String(await desk.list())),
  )
  killed.kill('SIGKILL')
  const { signal } = await killed
  const [claimed = ''] = await desk.list()
  const kept = await readFile(join(desk.directory, claimed), 'utf8')
  // As if a minute had passed, which its name tells.
  const collector = await startCollector()
  const [, process] = /-(\d+-\d+)$/.exec(claimed) ?? []
  await rename(
    join(desk.directory, claimed),
    join(desk.directory, `outcomes.claimed-all-${Date.now() - 61_000}-${process}`),
  )
  for (const _ of ['sends', 'finds nothing']) await desk.startSender(collector.endpoint)
  const sent = collector.received.map(({ body }) => body.includes('"41"'))
  expect({ signal, kept, sent, left: await desk.list() }).toEqual({
    signal: 'SIGKILL',
    kept: line(41),
    sent: [true],
    left: [],
  })
})

test('the next call is recorded whole after calls that were killed', async () => {
  const collector = await startCollector()
  const desk = await startDesk(collector.endpoint)
  await mkdir(desk.directory, { recursive: true, mode: 0o700 })
  // Somebody else has the turn to send, so that nothing sends before the last call.
  const turn = Math.floor(Date.now() / 10_000)
  for (const each of [turn, turn + 1]) await writeFile(join(desk.directory, `outcomes.turn-${each}`), '')
  for (const ms of [100, 150, 200, 250]) await desk.call(undefined, ms)
  for (const name of await readdir(desk.directory)) await rm(join(desk.directory, name))
  await writeFile(desk.spool, line(42).slice(0, 70), { mode: 0o600 })
  const outcome = await desk.call()
  const bodies = () =>
    collector.received.map(({ body }) => body).filter((body) => body.includes('gatepass.outcomes.lost'))
  await waitUntil('a loss is told', () => bodies().length > 0)
  const names = bodies().map((body) => body.match(/(?<="name":")gatepass[\w.]+|"42"/g))
  expect({ outcome, names }).toEqual({
    outcome: printed,
    names: [['gatepass.calls', 'gatepass.call.duration', 'gatepass.mint.duration', 'gatepass.outcomes.lost']],
  })
})

test('a cache directory that stops responding costs no token, and no time beyond the deadline', async () => {
  const desk = await startDesk()
  const mount = await startMount(await temporaryDirectory())
  onTestFinished(() => mount[Symbol.asyncDispose]())
  const before = await desk.call(mount.path)
  const argv = ['--cache=none', '--client-timeout=5', '--command=/bin/echo', `--command=${token}`]
  const env = { HOME: desk.home, XDG_CACHE_HOME: mount.path, GATEPASS_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  mount.stop()
  // A run that takes longer is killed, and has no status.
  expect([before, await runBundle(helper, { argv, env, timeoutMs: 5_000 })]).toEqual([printed, printed])
})

test('a cache directory on a file system that cannot be written costs one warning of the cache, and none of outcomes', async () => {
  const desk = await startDesk()
  await mkdir(desk.directory, { recursive: true, mode: 0o700 })
  await execa('mount', ['-t', 'tmpfs', '-o', 'ro,mode=700', 'none', desk.directory])
  onTestFinished(async () => void (await execa('umount', ['-l', desk.directory])))
  expect({ ...(await desk.call()), files: await readdir(desk.directory) }).toEqual({
    ...printed,
    stderr: `command-token: warning: cannot use the token cache: ${desk.directory} is read-only (EROFS); every call gets a new token until it can be written, or XDG_CACHE_HOME (on Linux) names a directory that can\n`,
    files: [],
  })
})
