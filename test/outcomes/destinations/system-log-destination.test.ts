import { existsSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createSystemLogDestination } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import type { HelperError } from '../../../src/runtime/failure.ts'
import { isProcessAlive } from '../../../src/runtime/host.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { mixedBatch } from '../../stand-ins/journal/mixed-batch.ts'

/** Prepares a directory with a stand-in for `logger`, which notes how it is run. */
async function startLogger(then = '') {
  const directory = await temporaryDirectory()
  const logger = join(directory, 'logger')
  const notes = join(directory, 'notes')
  await writeFile(
    logger,
    `#!/bin/sh\n{ echo "run: $* in $(/usr/bin/env | /bin/grep -c TOKEN)"; /bin/cat; } >>'${notes}'\n${then}\n`,
  )
  await chmod(logger, 0o755)
  return {
    logger,
    notes,
    readNotes: () => readFile(notes, 'utf8'),
    socket: logger,
    missing: join(directory, 'missing'),
  }
}

type Logs = 'journal' | 'syslog' | 'none'

/** Sends the batch to logs of which some exist. @returns `written`, or how it failed. */
async function send(
  platform: NodeJS.Platform,
  logs: Logs,
  { logger, socket, missing }: Record<'logger' | 'socket' | 'missing', string>,
  seconds = 20,
) {
  const begin = Date.now()
  const within = new Deadline({ seconds, hint: 'wait' }, { elapsedMs: () => Date.now() - begin })
  const locations = {
    logger,
    journalSocket: logs === 'journal' ? socket : missing,
    syslogSocket: logs === 'syslog' ? socket : missing,
  }
  const destination = createSystemLogDestination(platform, { now: () => 1_790_000_060_000 }, locations)
  return destination.send(mixedBatch, within).then(
    () => 'written',
    ({ kind, message }: HelperError) => `${kind}: ${message}`,
  )
}

const [late, , minted, , notConfigured] = mixedBatch.outcomes.map((outcome) => JSON.stringify(outcome))
const cached = '{"time":1790000010000,"helper":"aws-bedrock-token","version":"1.2.3","cached":2}'
const lost = '{"time":1790000060000,"lost":2}'

test('the journal gets an entry for each event, with the fields of a call', async () => {
  const places = await startLogger()
  expect(await send('linux', 'journal', places)).toBe('written')
  const fields = `GATEPASS_TIME=1790000000000
GATEPASS_HELPER=aws-bedrock-token
GATEPASS_VERSION=1.2.3
GATEPASS_CONTEXT=interactive
GATEPASS_FORMAT=json
`
  expect(await places.readNotes()).toBe(`run: --journald in 0
MESSAGE=${late}
PRIORITY=4
SYSLOG_IDENTIFIER=gatepass
MESSAGE_ID=ee35e12108224f408cd61a18fb359b4f
${fields}GATEPASS_OUTCOME=late
EXIT_STATUS=7
GATEPASS_MS=58000
GATEPASS_SOURCE=aws-sso
GATEPASS_MINT_MS=57500
GATEPASS_LATE=network
run: --journald in 0
MESSAGE=${minted}
PRIORITY=5
SYSLOG_IDENTIFIER=gatepass
MESSAGE_ID=aed049aad9264af7b01cc434409328bb
${fields}GATEPASS_OUTCOME=success
EXIT_STATUS=0
GATEPASS_MS=1400
GATEPASS_ORIGIN=mint
GATEPASS_SOURCE=aws-sso
GATEPASS_MINT_MS=1250
run: --journald in 0
MESSAGE=${notConfigured}
PRIORITY=3
SYSLOG_IDENTIFIER=gatepass
MESSAGE_ID=ee35e12108224f408cd61a18fb359b4f
${fields}GATEPASS_OUTCOME=not-configured
EXIT_STATUS=3
GATEPASS_MS=30
GATEPASS_SOURCE=aws-sso
run: --journald in 0
MESSAGE=${cached}
PRIORITY=5
SYSLOG_IDENTIFIER=gatepass
MESSAGE_ID=0bbcba5ee42643cd88021ee3e76f346f
run: --journald in 0
MESSAGE=${lost}
PRIORITY=4
SYSLOG_IDENTIFIER=gatepass
MESSAGE_ID=14c1c330dadd4756b60fdd62fc2ea59d
`)
})

test.each<[what: string, platform: NodeJS.Platform, logs: Logs]>([
  ['syslog, where there is no journal,', 'linux', 'syslog'],
  ["macOS' unified log", 'darwin', 'none'],
])('%s gets a line for each event, by severity', async (_, platform, logs) => {
  const places = await startLogger()
  expect({ outcome: await send(platform, logs, places), notes: await places.readNotes() }).toEqual({
    outcome: 'written',
    notes: `run: -t gatepass -p user.warning in 0
${late}
${lost}
run: -t gatepass -p user.notice in 0
${minted}
${cached}
run: -t gatepass -p user.err in 0
${notConfigured}
`,
  })
})

test('a system without a log gets nothing, and says so', async () => {
  const places = await startLogger()
  expect({ outcome: await send('linux', 'none', places), exists: existsSync(places.notes) }).toEqual({
    outcome: `unavailable: there is no system log here: neither ${places.missing} nor ${places.missing}`,
    exists: false,
  })
})

test('a logger that fails ends the sending at its first run', async () => {
  const places = await startLogger('exit 3')
  const outcome = await send('linux', 'journal', places)
  expect({ outcome, runs: (await places.readNotes()).match(/^run/gm) }).toEqual({
    outcome: `unavailable: ${places.logger} ended with 3`,
    runs: ['run'],
  })
})

test('a logger that is missing could not be started', async () => {
  const places = await startLogger()
  expect(await send('darwin', 'none', { ...places, logger: places.missing })).toBe(
    `unavailable: ${places.missing} could not be started (ENOENT)`,
  )
})

test('a logger that hangs is ended when the time is over', async () => {
  const places = await startLogger('echo $$ >"$0.pid"; exec sleep 60')
  const { logger } = places
  useFakeTimers()
  const sending = send('linux', 'journal', places)
  const readChild = () => readFile(`${logger}.pid`, 'utf8').then(Number, () => 0)
  await expect.poll(readChild).toBeGreaterThan(0)
  const child = await readChild()
  vi.advanceTimersByTime(20_001)
  vi.useRealTimers()
  expect(await sending).toBe(`late: ${logger} took longer than the 20 s of this call`)
  await expect.poll(() => isProcessAlive(child)).toBe(false)
})
