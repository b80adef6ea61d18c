import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFileKind } from '../../../src/client/check/check-helper.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test.each([
  ['#!/bin/sh\n', 'script'],
  ['echo a\n', 'text-without-shebang'],
  ['\x7fELF\0', 'binary'],
])('%j is a %s', async (content, kind) => {
  const path = join(await temporaryDirectory(), 'helper')
  await writeFile(path, content)
  expect(await readFileKind(path)).toBe(kind)
})

test('a directory has no kind, and a missing file cannot be read', async () => {
  const directory = await temporaryDirectory()
  expect(await readFileKind(directory)).toBe('directory')
  expect(await readFileKind(join(directory, 'none'))).toBe('unreadable')
})
