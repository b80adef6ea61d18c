import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { toLogEvents } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { runHere } from '../../cli/run-here.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { mixedBatch } from '../../stand-ins/journal/mixed-batch.ts'
import {
  failureOf,
  nine,
  outcomeOf,
  toJournal,
  toLogLine,
  toUnifiedLog,
  toWindowsEvent,
  writeLogs,
} from './sample-logs.ts'

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')
const minutes = (count: number) => nine + count * 60_000

/** Returns the same morning as five systems log it: pc-1 works, the others had no network at a quarter past nine, pc-4 still has none. */
const collected = () =>
  writeLogs({
    'pc-1/aws-bedrock-token.log': lines(
      toLogLine(outcomeOf({ origin: 'mint', ms: 400, mintMs: 350 })),
      toLogLine(outcomeOf({ time: minutes(10) })),
    ),
    'pc-1/aws-bedrock-token.log.1.gz': gzipSync(lines(toLogLine(outcomeOf({ time: minutes(-60) })))),
    'servers/journal.json': lines(
      toJournal('pc-2', JSON.stringify(outcomeOf()), 'a'),
      toJournal('pc-2', 'Started something else.', 'b'),
      toJournal('pc-2', `call: ${JSON.stringify(failureOf({ time: minutes(15) }))}`, 'c'),
      toJournal('pc-2', JSON.stringify(outcomeOf({ time: minutes(20), version: '0.10.0' })), 'd'),
    ),
    'pc-3.ndjson': lines(
      toUnifiedLog(JSON.stringify(outcomeOf()), 1),
      toUnifiedLog(
        JSON.stringify(failureOf({ time: minutes(15), outcome: 'late', status: 7, ms: 58_000, late: 'network' })),
        2,
      ),
      toUnifiedLog(JSON.stringify(outcomeOf({ time: minutes(30) })), 3),
      '{"count":3,"finished":1}',
    ),
    'windows/events.xml': Buffer.from(
      `\ufeff${lines(toWindowsEvent('pc-4', JSON.stringify(outcomeOf()), 1), toWindowsEvent('pc-4', JSON.stringify(failureOf({ time: minutes(16) })), 2))}`,
      'utf16le',
    ),
    'pc-5.log': lines(JSON.stringify(outcomeOf({ helper: 'oidc-token', version: '0.1.0' }))),
  })

/** Sends a message as `logger` of util-linux sends it to a server of syslog. */
async function sendByLogger(message: string): Promise<string> {
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  await once(server, 'listening')
  const address = ['--server', '127.0.0.1', '--port', `${server.address().port}`, '--udp']
  spawn('logger', [...address, '--rfc5424', '-t', 'gatepass', message], { stdio: 'ignore' })
  const [datagram] = await once(server, 'message')
  server.close()
  return `${datagram}\n`
}

describe('gatepass fleet report', () => {
  test('counts what a log file, a journal, the log of macOS, that of Windows and bare outcomes hold', async () => {
    expect(await runHere(['fleet', 'report', await collected()])).toEqual(
      prints(`\
3 of 12 calls failed (25.0 %), on 3 of 5 machines; 1 still failing when the logs end
2026-03-02 08:00 to 09:30 UTC

Calls           number   share  median     p95     p99
from the cache       8  66.7 %   33 ms   33 ms   33 ms
minted               1   8.3 %  400 ms  400 ms  400 ms
failed               3  25.0 %  900 ms    58 s    58 s

Failures by cause  calls  machines  where           when
unavailable (6)        2         2  once on each    spread out
late (7)               1         1  on one machine  from 2026-03-02 09:15 to 09:16

Machines with most failures  failed  calls  version  causes         state
pc-2                              1      3  0.10.0   unavailable 1  recovered
pc-3                              1      3  0.2.0    late 1         recovered
pc-4                              1      2  0.2.0    unavailable 1  no success of aws-bedrock-token since 2026-03-02 09:00

Late, waiting for  calls  machines  median   p95   p99
a server               1         1    58 s  58 s  58 s

Source asked  times  median     p95     p99
unknown           1  350 ms  350 ms  350 ms

Version  machines  calls
0.10.0          1      1
0.2.0           3     10
0.1.0           1      1
  1 machine behind 0.2.0; --json lists every one

Read: 12 calls in 6 files; 2 records of other programs.
`),
    )
  })

  /** Writes the folder with the journal of one machine, collected twice. */
  const writeCounted = () => {
    const events = toLogEvents(mixedBatch, minutes(1)).map(({ text }) => text)
    const journal = lines(...events.map((text, index) => toJournal('pc-1', text, `${index}`)))
    return writeLogs({ 'journal.json': journal, 'journal-copy.json': journal })
  }

  test('counts the calls from the cache that a system only counts, and says how many its machines lost', async () => {
    expect(await runHere(['fleet', 'report', await writeCounted()])).toEqual(
      prints(`\
2 of 5 calls failed (40.0 %), on 1 of 1 machine; all of them recovered
2026-09-21 14:13 to 14:13 UTC

Calls           number   share  median    p95    p99
from the cache       2  40.0 %       –      –      –
minted               1  20.0 %   1.4 s  1.4 s  1.4 s
failed               2  40.0 %   30 ms   58 s   58 s

Failures by cause   calls  machines  where           when
not-configured (3)      1         1  on one machine  from 2026-09-21 14:13 to 14:14
late (7)                1         1  on one machine  from 2026-09-21 14:13 to 14:14

Machines with most failures  failed  calls  version  causes                    state
pc-1                              2      5  1.2.3    late 1, not-configured 1  recovered

Late, waiting for  calls  machines  median   p95   p99
a server               1         1    58 s  58 s  58 s

Source asked  times  median   p95   p99
aws-sso           2   1.2 s  57 s  57 s

Version  machines  calls
1.2.3           1      5

Read: 10 calls in 2 files; 5 of them twice, but counted once; 2 more that their machines lost before they were logged.
`),
    )
  })

  test('leaves out counted calls of another helper than the one that is chosen', async () => {
    const { stdout } = await runHere(['fleet', 'report', await writeCounted(), '--json', '--helper', 'oidc-token'])
    const { calls, input } = JSON.parse(stdout)
    expect({ calls, leftOut: input.leftOut, lost: input.lost }).toEqual({ calls: 0, leftOut: 5, lost: 2 })
  })

  test('reads a file of syslog, and what `logger` sends to a server of it', async () => {
    const sent = await sendByLogger(JSON.stringify(failureOf({ outcome: 'late', status: 7, late: 'network' })))
    const directory = await writeLogs({
      syslog: `Mar  2 10:00:00 pc-1 systemd[1]: Started.\nMar  2 10:00:00 pc-1 gatepass: ${JSON.stringify(outcomeOf())}\n`,
      'syslog.1': sent,
    })
    const { stdout, ...rest } = await runHere(['fleet', 'report', directory, '--json'])
    const { calls, failed, machines, input } = JSON.parse(stdout)
    expect({ ...rest, calls, failed, machines, other: input.other }).toEqual({
      status: 0,
      stderr: '',
      calls: 2,
      failed: 1,
      other: 1,
      machines: { all: 2, failed: 1, stillFailing: 1 },
    })
  })

  test('counts a log that was collected twice once, under the name it had first', async () => {
    const log = lines(toLogLine(failureOf(), 7), toLogLine(failureOf(), 8))
    const directory = await writeLogs({ 'pc-1.log': log, 'pc-1-copy.log': log, 'pc-1-packed.log.gz': gzipSync(log) })
    const { stdout } = await runHere(['fleet', 'report', '--json', join(directory, 'pc-1.log'), directory])
    const { calls, machines, failing, input } = JSON.parse(stdout)
    expect({ calls, all: machines.all, failing: failing[0].machine, read: input.calls, twice: input.repeated }).toEqual(
      {
        calls: 2,
        all: 1,
        failing: 'pc-1',
        read: 8,
        twice: 6,
      },
    )
  })

  test('names what cannot be read by file and line, repeats nothing of it, and reports the rest', async () => {
    const good = JSON.stringify(outcomeOf())
    const directory = await writeLogs({
      'pc-1.log': lines(good, '', 'canary-secret', '{"helper":"canary-secret"}'),
      'pc-2.log.gz': gzipSync(lines(good.repeat(1))).subarray(0, 40),
      'notes.html': '<html>canary-secret</html>',
      'other.txt': 'canary-secret\n',
    })
    const path = (name: string) => join(directory, name)
    const { status, stdout, stderr } = await runHere(['fleet', 'report', directory, path('missing')])
    expect({ status, stderr, stdout }).toEqual({
      status: 2,
      stderr: `\
gatepass: ${path('missing')} cannot be read (ENOENT)
gatepass: ${path('notes.html')} cannot be read: it is not a known kind of log
gatepass: ${path('other.txt')} cannot be read: it is not a known kind of log; 1 record cannot be read, the first in line 1
gatepass: warning: ${path('pc-1.log')}: 2 records cannot be read, the first in line 3
gatepass: ${path('pc-2.log.gz')} is cut off: gzip cannot unpack its end
gatepass: hint: name files and directories that exist
gatepass: hint: see which logs can be read: gatepass fleet report --help
gatepass: hint: collect again the files that are damaged or cannot be read
`,
      stdout: `\
None of 1 call failed, on 1 machine
2026-03-02 09:00 to 09:00 UTC

Calls           number    share  median    p95    p99
from the cache       1  100.0 %   33 ms  33 ms  33 ms

Version  machines  calls
0.2.0           1      1

Read: 1 call in 4 files; 3 records that cannot be read.
`,
    })
  })

  test('prints the document that the page of the command describes', async () => {
    const { stdout } = await runHere(['fleet', 'report', await collected(), '--json'])
    const page = await readFile(join(root, 'docs/fleet-report.md'), 'utf8')
    const rows = page.slice(page.indexOf('| member |'), page.indexOf('Records that cannot')).matchAll(/^\| (`.*?) \|/gm)
    const members = [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '))
    expect(Object.keys(JSON.parse(stdout)).toSorted()).toEqual(members.toSorted())
  })

  test('takes calls of a time and of a helper alone, and says how many it left out', async () => {
    const argv = ['--since', '2026-03-02T09:00', '--until', '2026-03-02T10:15+01:00', '--helper', 'aws-bedrock-token']
    const { stdout, ...rest } = await runHere(['fleet', 'report', await collected(), '--json', ...argv])
    const { calls, period, input } = JSON.parse(stdout)
    expect({ ...rest, calls, period, leftOut: input.leftOut }).toEqual({
      status: 0,
      stderr: '',
      calls: 5,
      leftOut: 7,
      period: { from: '2026-03-02T09:00:00.000Z', to: '2026-03-02T09:10:00.000Z' },
    })
  })

  test.each([
    [
      ['--since', 'yesterday'],
      "option '--since <moment>' argument 'yesterday' is invalid. expected a moment, such as 2026-03-02 or 2026-03-02T09:00Z, or how long ago, such as 12h.",
      'see: gatepass fleet report --help',
    ],
    [
      ['--since', '2026-02-30'],
      "option '--since <moment>' argument '2026-02-30' is invalid. expected a moment, such as 2026-03-02 or 2026-03-02T09:00Z, or how long ago, such as 12h.",
      'see: gatepass fleet report --help',
    ],
    [['--since', '1h', '--until', '2h'], '--since is not before --until', 'name an earlier moment with --since'],
  ])('refuses %j with the way out', async (argv, message, hint) => {
    expect(await runHere(['fleet', 'report', '.', ...argv])).toEqual(fails('gatepass', 2, message, hint))
  })

  test('says that no call is in the logs', async () => {
    const directory = await writeLogs({ 'journal.json': lines(toJournal('pc-1', 'Started.', 'a')), '.hidden': 'x' })
    expect(await runHere(['fleet', 'report', directory])).toEqual(
      prints('No call of a helper.\nRead: 0 calls in 1 file; 1 record of other programs.\n'),
    )
  })

  test('writes the page', async () => {
    const out = join(await writeLogs({}), 'page.html')
    const { status, stderr } = await runHere(['fleet', 'report', await collected(), '--html', out])
    const page = await readFile(out, 'utf8')
    expect({
      status,
      stderr,
      page: [page.slice(0, 15), page.match(/\d+ of \d+ calls failed/)?.[0], page.slice(-8)],
    }).toEqual({
      status: 0,
      stderr: `The page is in ${out}\n`,
      page: ['<!doctype html>', '3 of 12 calls failed', '</html>\n'],
    })
  })

  test('names a page that cannot be written after the figures', async () => {
    const directory = await collected()
    const out = await writeLogs({})
    const { stdout } = await runHere(['fleet', 'report', directory])
    expect(await runHere(['fleet', 'report', directory, '--html', out])).toEqual({
      status: 5,
      stdout,
      stderr: `gatepass: ${out} cannot be written (EISDIR)\ngatepass: hint: name another file with --html\n`,
    })
  })

  test('escapes the name of a machine on a terminal', async () => {
    const name = 'pc\u001b[2J\u202e\nFORGED'
    const directory = await writeLogs({ 'journal.json': lines(toJournal(name, JSON.stringify(failureOf()), 'a')) })
    const { stdout } = await runHere(['fleet', 'report', directory])
    expect(stdout.split('\n').filter((line) => line.includes('FORGED'))).toEqual([
      'pc\\u001b[2J\\u202e FORGED          1      1  0.2.0    unavailable 1  aws-bedrock-token never succeeded',
    ])
    expect(stdout.match(/(?!\n)[\p{Cc}\p{Cf}]/gu)).toBe(null)
  })
})
