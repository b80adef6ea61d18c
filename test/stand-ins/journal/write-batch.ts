import { readFileSync } from 'node:fs'
import { createSystemLogDestination } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'

/** Writes the batch on stdin to the log of this system; the argument names another socket of the journal, such as none. */
const [, , journalSocket = '/run/systemd/journal/socket'] = process.argv
const clock = { now: () => 1_790_000_060_000 }
const within = new Deadline({ seconds: 30, hint: 'wait' }, { elapsedMs: () => performance.now() })
const locations = { logger: '/usr/bin/logger', journalSocket, syslogSocket: '/dev/log' }
const batch = JSON.parse(readFileSync(0, 'utf8'))
await createSystemLogDestination('linux', clock, locations).send(batch, within)
