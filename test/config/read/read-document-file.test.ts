import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  readDocumentFile,
  renderInstallCommand,
  validateManagedFile,
} from '../../../src/config/read/read-document-file.ts'
import { vendor } from '../../../src/vendor.ts'
import { summarize, toOutcome } from './read-text.ts'

const directory = mkdtempSync(join(tmpdir(), 'gatepass-config-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, 'managed-settings.json')
writeFileSync(file, '{"inferenceProvider":"gateway"}')

test('a file is read as its content says', async () => {
  expect(toOutcome(await readDocumentFile(file))).toEqual({
    container: 'json',
    shape: 'flat',
    document: { inference: { provider: 'gateway' } },
    unknownKeys: [],
    findings: [],
  })
})

test('a managed file of Linux that everybody can write is an error', async () => {
  chmodSync(file, 0o666)
  expect(summarize(await readDocumentFile(file, { shape: 'managed-linux' }))).toEqual(['error file-mode'])
})

test('a managed file of Linux that is a link is an error', async () => {
  const link = join(directory, 'link.json')
  symlinkSync(file, link)
  expect(summarize(await readDocumentFile(link, { shape: 'managed-linux' }))).toEqual(['error file-link'])
})

test.each([
  ['root alone may write', { uid: 0, mode: 0o100644 }, []],
  ['a user owns it', { uid: 501, mode: 0o100644 }, ['error file-owner']],
  ['its group may write', { uid: 0, mode: 0o100664 }, ['error file-mode']],
  ['anybody may do anything', { uid: 501, mode: 0o100777 }, ['error file-owner', 'error file-mode']],
])('a managed file is checked where %s', (_what, status, expected) => {
  expect(summarize({ findings: validateManagedFile({ ...status, isSymbolicLink: () => false }, file) })).toEqual(
    expected,
  )
})

test('the command that installs it quotes a path that a shell would split', () => {
  expect(renderInstallCommand("/tmp/it's.json")).toBe(
    `sudo install -D -o root -g root -m 0644 '/tmp/it'\\''s.json' ${vendor.linuxManagedFile}`,
  )
})

test('a missing file is a finding', async () => {
  expect((await readDocumentFile(join(directory, 'no'))).findings).toEqual([
    {
      code: 'file-unreadable',
      message: 'the file does not exist',
      path: '',
      severity: 'error',
      hint: `check the path: ${join(directory, 'no')}`,
    },
  ])
})

test.each([
  ['a folder', directory],
  ['a path with a NUL', 'a\0b'],
])('%s is a finding', async (_, path) => {
  expect(summarize(await readDocumentFile(path))).toEqual(['error file-unreadable'])
})

test('a file of more than 5 MiB is refused unread', async () => {
  const large = join(directory, 'large.json')
  writeFileSync(large, '')
  truncateSync(large, 5 * 1024 * 1024 + 1)
  expect(summarize(await readDocumentFile(large))).toEqual(['error too-large'])
})

test('a pipe that nobody writes to is a finding', async () => {
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect((await readDocumentFile(pipe, { limitSec: 0.2 })).findings).toEqual([
    {
      code: 'file-unreadable',
      message: 'it was not read within 0.2 s',
      path: '',
      severity: 'error',
      hint: 'if it is a pipe, have a program write to it and close it; otherwise see what is mounted there with: mount',
    },
  ])
})

test('a device is a finding', async () => {
  expect((await readDocumentFile('/dev/zero')).findings).toEqual([
    {
      code: 'file-unreadable',
      message: 'it is not a file',
      path: '',
      severity: 'error',
      hint: 'give the path of the document itself in place of /dev/zero',
    },
  ])
})

test('a pipe whose writer is slow is read to its end', async () => {
  const pipe = join(directory, 'slow')
  execFileSync('mkfifo', [pipe])
  const writer = spawn('/bin/sh', [
    '-c',
    `exec >'${pipe}'; printf '{"inferencePro'; sleep 0.3; printf 'vider":"gateway"}'; sleep 0.1`,
  ])
  const closed = once(writer, 'close')
  const result = await readDocumentFile(pipe)
  await closed
  expect(toOutcome(result)).toEqual({
    container: 'json',
    shape: 'flat',
    document: { inference: { provider: 'gateway' } },
    unknownKeys: [],
    findings: [],
  })
})
