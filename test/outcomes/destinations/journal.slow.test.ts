import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { runHere } from '../../cli/run-here.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { mixedBatch } from '../../stand-ins/journal/mixed-batch.ts'

const standIns = join(root, 'test/stand-ins/journal')

/** Writes the batch beside a real journal. @returns what that has, as `journalctl` prints it in this form. */
function writeBeside(socket: readonly string[] = [], form = 'json'): string {
  const command = [process.execPath, join(standIns, 'write-batch.ts'), ...socket]
  const input = JSON.stringify(mixedBatch)
  const { status, stdout, stderr } = spawnSync('sh', [join(standIns, 'with-journal.sh'), ...command], {
    input,
    encoding: 'utf8',
    env: { ...process.env, JOURNAL_FORM: form },
    // No limit of vitest ends a wait that holds its worker.
    timeout: 60_000,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

function parseEntries(text: string): Record<string, string>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('a real systemd journal keeps the fields of every event', () => {
  const entries = parseEntries(writeBeside())
  expect(
    entries.map(({ MESSAGE_ID, PRIORITY, GATEPASS_OUTCOME, EXIT_STATUS }) => [
      MESSAGE_ID?.slice(0, 4),
      PRIORITY,
      GATEPASS_OUTCOME,
      EXIT_STATUS,
    ]),
  ).toEqual([
    ['ee35', '4', 'late', '7'],
    ['aed0', '5', 'success', '0'],
    ['ee35', '3', 'not-configured', '3'],
    ['0bbc', '5', undefined, undefined],
    ['14c1', '4', undefined, undefined],
  ])
  expect(JSON.parse(entries[0]!.MESSAGE!)).toEqual(mixedBatch.outcomes[0])
})

test('the socket of syslog gets the same lines where it is the only one', () => {
  const entries = parseEntries(writeBeside(['/nonexistent']))
  expect(entries.map(({ _TRANSPORT, PRIORITY, MESSAGE }) => [_TRANSPORT, PRIORITY, MESSAGE])).toEqual([
    ['syslog', '4', JSON.stringify(mixedBatch.outcomes[0])],
    ['syslog', '4', '{"time":1790000060000,"lost":2}'],
    ['syslog', '5', JSON.stringify(mixedBatch.outcomes[2])],
    ['syslog', '5', '{"time":1790000010000,"helper":"aws-bedrock-token","version":"1.2.3","cached":2}'],
    ['syslog', '3', JSON.stringify(mixedBatch.outcomes[4])],
  ])
})

test.each(['json', 'short', 'short-iso'])(
  'the report counts every call of a real journal, read as %s',
  async (form) => {
    const path = join(await temporaryDirectory(), 'journal')
    await writeFile(path, writeBeside([], form))
    const { stdout, ...rest } = await runHere(['fleet', 'report', '--json', path])
    const { calls, failed, input } = JSON.parse(stdout)
    expect({ ...rest, calls, failed, lost: input.lost, other: input.other }).toEqual({
      status: 0,
      stderr: '',
      calls: 5,
      failed: 2,
      lost: 2,
      other: 0,
    })
  },
)
