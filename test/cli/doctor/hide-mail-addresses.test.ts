import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeTicket } from '../../../src/cli/doctor/ticket.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createTestCli } from '../run-here.ts'

test.each([
  ['dana.o+x@mail.example.com is signed in since 09:00', '[mail address] is signed in since 09:00'],
  ['arn:aws:sts::1:assumed-role/dev/dana@example.com', 'arn:aws:sts::1:assumed-role/dev/[mail address]'],
  ['https://id.example.com/@team and a@b', 'https://id.example.com/@team and a@b'],
])('%j is written to a ticket as %j', async (examination, hidden) => {
  const report = join(await temporaryDirectory(), 'ticket.txt')
  const { cli } = await createTestCli([])
  await writeTicket(cli, { report }, { source: '-', document: undefined, parts: [], examination })
  expect((await readFile(report, 'utf8')).split('\nExamination\n')[1]).toBe(hidden)
})
