import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderAuditEntry } from '../../../src/verify/sinks/audit-sinks.ts'
import { runHere } from '../../cli/run-here.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { nine, toJournal, writeLogs } from './sample-logs.ts'

const issuer = 'https://idp.example.com'

function lineOf(facts: object): string {
  return renderAuditEntry({ time: nine, bootstrap: 'answer', status: 200, issuer, release: '1-aa', ...facts })
}

/** Returns two replicas: one writes a file, the other one to the journal. */
const collected = () =>
  writeLogs({
    'replica-1/audit.log': [
      lineOf({ subject: 'dana' }),
      lineOf({ subject: 'erin' }),
      lineOf({ subject: 'erin', time: nine + 60_000, release: '2-bb' }),
      lineOf({ subject: 'finn', status: 403, reason: 'not-entitled', release: '2-bb' }),
      renderAuditEntry({ time: nine, bootstrap: 'answer', status: 401, reason: 'expired', request: 'req_1' }),
      renderAuditEntry({ time: nine, bootstrap: 'omitted', count: 1200 }),
    ].join(''),
    'replica-2.json': [
      toJournal('r2', `${lineOf({ subject: 'dana', status: 204, time: nine + 1_800_000 }).trimEnd()}`, 'a'),
      toJournal('r2', lineOf({ subject: 'dana\u001b[2J\n', release: '10-cc' }).trimEnd(), 'b'),
      '',
    ].join('\n'),
  })

test('the report says who runs which release, the newest first, and why others get none', async () => {
  const directory = await collected()
  expect(await runHere(['fleet', 'report', directory])).toEqual({
    status: 0,
    stderr: '',
    stdout: [
      'No call of a helper.',
      '',
      'Configuration  people   share  latest answer, UTC',
      '10-cc               1  33.3 %  2026-03-02 09:00',
      '2-bb                1  33.3 %  2026-03-02 09:01',
      '1-aa                1  33.3 %  2026-03-02 09:30',
      '',
      'Configuration refused  answers',
      'not-entitled (403)           1',
      'expired (401)                1',
      '  and 1,200 answers to strangers that were only counted',
      '',
      'Read: 0 calls in 2 files.',
      '',
    ].join('\n'),
  })
})

test('as JSON it has every person with the release of the latest document', async () => {
  const directory = await collected()
  const { stdout } = await runHere(['fleet', 'report', directory, '--json', '--until', '2026-03-02T09:10Z'])
  expect(JSON.parse(stdout).served).toEqual({
    answers: 1206,
    omitted: 1200,
    refusals: [
      { reason: 'not-entitled (403)', answers: 1 },
      { reason: 'expired (401)', answers: 1 },
    ],
    deviceSteps: [],
    releases: [
      { release: '10-cc', people: 1, seenAt: '2026-03-02T09:00:00.000Z' },
      { release: '2-bb', people: 1, seenAt: '2026-03-02T09:01:00.000Z' },
      { release: '1-aa', people: 1, seenAt: '2026-03-02T09:00:00.000Z' },
    ],
    people: [
      { person: `${issuer} dana`, release: '1-aa', seenAt: '2026-03-02T09:00:00.000Z' },
      { person: `${issuer} erin`, release: '2-bb', seenAt: '2026-03-02T09:01:00.000Z' },
      { person: `${issuer} dana\u001b[2J\n`, release: '10-cc', seenAt: '2026-03-02T09:00:00.000Z' },
    ],
  })
})

test('the page shows what the report says, and lists the people', async () => {
  const directory = await collected()
  const page = join(await temporaryDirectory(), 'report.html')
  await runHere(['fleet', 'report', directory, '--html', page])
  expect(await readTables(page)).toEqual([
    [
      ['release', 'people', '', 'share', 'latest answer (UTC)'],
      ['10-cc', '1', '', '33.3 %', '2026-03-02 09:00'],
      ['2-bb', '1', '', '33.3 %', '2026-03-02 09:01'],
      ['1-aa', '1', '', '33.3 %', '2026-03-02 09:30'],
    ],
    [
      ['why', 'answers'],
      ['not-entitled (403)', '1'],
      ['expired (401)', '1'],
      ['strangers, only counted', '1,200'],
    ],
    [
      ['issuer and person', 'release', 'latest answer (UTC)'],
      [`${issuer} dana`, '1-aa', '2026-03-02 09:30'],
      [`${issuer} erin`, '2-bb', '2026-03-02 09:01'],
      [`${issuer} dana\\u001b[2J\n`, '10-cc', '2026-03-02 09:00'],
    ],
  ])
})

/** Writes a folder with the audit of device sign-ins. */
function writeSteps() {
  const stepOf = (facts: object) => renderAuditEntry({ time: nine, bootstrap: 'device', ...facts })
  return writeLogs({
    'replica-1/audit.log': [
      ...['d-1', 'd-2', 'd-3', 'd-4'].map((grant) => stepOf({ outcome: 'started', grant })),
      stepOf({ outcome: 'refused', grant: 'd-1', reason: 'provider-unavailable' }),
      stepOf({ outcome: 'confirmed', grant: 'd-1', issuer, subject: 'dana' }),
      stepOf({ outcome: 'refused', grant: 'd-2', reason: 'person', issuer, subject: 'erin' }),
      stepOf({ outcome: 'expired', grant: 'd-3' }),
      stepOf({ outcome: 'expired', grant: 'd-3' }), // the same line, collected twice
    ].join(''),
  })
}

test('device sign-ins are counted by their outcome', async () => {
  expect(await runHere(['fleet', 'report', await writeSteps()])).toEqual({
    status: 0,
    stderr: '',
    stdout: [
      'No call of a helper.',
      '',
      'Device sign-ins                 times',
      'started                             4',
      'confirmed                           1',
      'expired                             1',
      'refused (person)                    1',
      'refused (provider-unavailable)      1',
      '',
      'Read: 0 calls in 1 file.',
      '',
    ].join('\n'),
  })
})

test('a person who has signed in on a device, and got no answer, runs no release', async () => {
  const { stdout } = await runHere(['fleet', 'report', await writeSteps(), '--json'])
  expect(JSON.parse(stdout).served).toEqual({
    answers: 0,
    omitted: 0,
    refusals: [],
    releases: [],
    people: [],
    deviceSteps: [
      { step: 'started', times: 4 },
      { step: 'confirmed', times: 1 },
      { step: 'expired', times: 1 },
      { step: 'refused (person)', times: 1 },
      { step: 'refused (provider-unavailable)', times: 1 },
    ],
  })
})

test('the page has a table of the steps of device sign-ins', async () => {
  const page = join(await temporaryDirectory(), 'report.html')
  await runHere(['fleet', 'report', await writeSteps(), '--html', page])
  expect(await readTables(page)).toEqual([
    [
      ['step', 'times'],
      ['started', '4'],
      ['confirmed', '1'],
      ['expired', '1'],
      ['refused (person)', '1'],
      ['refused (provider-unavailable)', '1'],
    ],
  ])
})

/** Reads the cells of the tables in the section of the page about releases. */
async function readTables(page: string) {
  const [, section = ''] = /<section id="served">(.*?)<\/section>/s.exec(await readFile(page, 'utf8')) ?? []
  const tables = section.split('<table').slice(1)
  const toCells = (row: string) => [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map(([, cell]) => cell)
  return tables.map((table) => table.split('<tr').slice(1).map(toCells))
}

test('the report leaves out configuration servers without an audit', async () => {
  const directory = await writeLogs({ 'a.log': '' })
  expect((await runHere(['fleet', 'report', directory])).stdout).toBe(
    'No call of a helper.\nRead: 0 calls in 1 file.\n',
  )
})
