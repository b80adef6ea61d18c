import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OutcomeBatch } from '../../src/outcomes/destination.ts'
import { sendSpool } from '../../src/outcomes/send-spool.ts'
import { appendToSpool } from '../../src/outcomes/spool.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { isRoot } from '../setup/unprivileged.ts'
import { waitUntil } from '../setup/wait-until.ts'
import { startCollector } from '../stand-ins/collector/collector.ts'
import { now, outcomeOf } from './made-up-outcome.ts'

/** Mounts a cache directory on a disk of its own, of so many KiB. */
async function mountDisk(directory: string, kib: number) {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k,mode=700`, 'none', directory])
  onTestFinished(() => void execFileSync('umount', ['-l', directory]))
  const rest = join(directory, 'rest')
  return {
    fill: () => writeFile(rest, Buffer.alloc(kib * 1024)).catch(() => {}),
    free: () => rm(rest),
  }
}

async function send(directory: string, take: (batch: OutcomeBatch) => Promise<void>): Promise<void> {
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
  const within = new Deadline({ seconds: 5, hint: '' }, clock)
  const destinations = [{ name: 'a', send: take }]
  await sendSpool({ directory, resource: {}, destinations, within, clock, process: 7 })
}

/** Sends the spool to a destination that accepts everything, and returns what it was told. */
async function sendAll(directory: string) {
  const sent: unknown[] = []
  await send(directory, async ({ outcomes, lost }) => void sent.push({ outcomes: outcomes.length, lost }))
  return sent
}

describe.runIf(isRoot && process.platform === 'linux')('on a disk that is full', () => {
  test('every outcome is counted, and the number sent with the next one', async () => {
    const directory = join(await temporaryDirectory(), 'cache')
    const disk = await mountDisk(directory, 16)
    await disk.fill()
    for (let call = 0; call < 3; call += 1) await appendToSpool(directory, outcomeOf(0))
    await Promise.all(Array.from({ length: 20 }, () => appendToSpool(directory, outcomeOf(0))))
    await disk.free()
    await appendToSpool(directory, outcomeOf(0))
    expect(await sendAll(directory)).toEqual([{ outcomes: 1, lost: 23 }])
    expect(await readdir(directory)).toEqual([])
  })

  test('a line that is cut off counts once', async () => {
    const directory = join(await temporaryDirectory(), 'cache')
    const disk = await mountDisk(directory, 16)
    await appendToSpool(directory, outcomeOf(0))
    await disk.fill()
    // A page of the disk is the spool's already.
    for (let call = 0; call < 60; call += 1) await appendToSpool(directory, outcomeOf(0))
    await disk.free()
    const [all, none] = [await sendAll(directory), await sendAll(directory)]
    expect(all).toEqual([{ outcomes: expect.any(Number), lost: expect.any(Number) }])
    const [{ outcomes, lost }] = all as [{ outcomes: number; lost: number }]
    expect({ sum: outcomes + lost, isMixed: outcomes > 10 && lost > 10, none }).toEqual({
      sum: 61,
      isMixed: true,
      none: [],
    })
  })

  test('an outcome that no destination has taken and that has no room is counted', async () => {
    const directory = join(await temporaryDirectory(), 'cache')
    const disk = await mountDisk(directory, 32)
    for (let call = 0; call < 100; call += 1) await appendToSpool(directory, outcomeOf(0))
    await send(directory, async () => {
      await disk.fill()
      throw new HelperError('unavailable', 'no', 'wait')
    })
    const kept = (await readFile(join(directory, 'outcomes.kept-a'), 'utf8').catch(() => '')).length
    expect(kept).toBeLessThan(4097)
    await disk.free()
    const [{ outcomes, lost }] = (await sendAll(directory)) as [{ outcomes: number; lost: number }]
    expect({ sum: outcomes + lost, hasLost: lost > 50 }).toEqual({ sum: 100, hasLost: true })
  })

  test('calls print their token, and the collector learns how many it has missed', async () => {
    const collector = await startCollector()
    const home = await temporaryDirectory()
    const directory = join(home, '.cache', 'gatepass')
    const disk = await mountDisk(directory, 64)
    const document = JSON.stringify({ token: 'made-up', expires_in: 7200 })
    const argv = ['--cache=none', '--command=/bin/echo', `--command=${document}`]
    const env = { HOME: home, GATEPASS_OTLP_ENDPOINT: collector.endpoint }
    const call = () => runBundle('command-token', { argv, env })
    const printed = { status: 0, stdout: '{"token":"made-up"}\n', stderr: '' }
    // Somebody else has the turn to send.
    const turn = Math.floor(Date.now() / 10_000)
    for (const each of [turn, turn + 1, turn + 2, turn + 3])
      await writeFile(join(directory, `outcomes.turn-${each}`), '')
    await disk.fill()
    const outcomes = await Promise.all(Array.from({ length: 6 }, call))
    await disk.free()
    for (const name of await readdir(directory)) if (name.includes('turn')) await rm(join(directory, name))
    outcomes.push(await call())
    await waitUntil('the collector is told', () => collector.received.length > 0)
    const lost = collector.received.map(({ body }) => /"gatepass\.outcomes\.lost".*?"asInt":"(\d+)"/.exec(body)?.[1])
    expect({ outcomes, lost }).toEqual({ outcomes: Array(7).fill(printed), lost: ['6'] })
  })
})
