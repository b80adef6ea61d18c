import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ExportContent } from '../../../src/cli/config/export-format.ts'
import { writeAnswer } from '../../../src/cli/config/write-answer.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const terminal = { printExact: async () => {} }
const several: ExportContent = { files: { 'a.txt': 'A', 'en-US/b.txt': 'B' } }

/** Writes the answer to this place of a directory of the test's own, and returns its whole path. */
async function writeTo(name: string, content: ExportContent) {
  const out = join(await temporaryDirectory(), name)
  await writeAnswer(terminal, content, { out, file: 'replaced', readers: 'owner' })
  return out
}

describe('an answer of several files', () => {
  test('is a folder, which may exist', async () => {
    const out = await writeTo('folder', several)
    await writeAnswer(terminal, several, { out, file: 'replaced', readers: 'owner' })
    const paths = ['a.txt', 'en-US/b.txt'].map((name) => join(out, name))
    expect({
      texts: await Promise.all(paths.map((path) => readFile(path, 'utf8'))),
      mode: (await stat(paths[0]!)).mode & 0o777,
    }).toEqual({ texts: ['A', 'B'], mode: 0o600 })
  })

  test('is refused for standard output', async () => {
    await expect(
      writeAnswer(terminal, several, { out: undefined, file: 'replaced', readers: 'owner' }),
    ).rejects.toEqual(new HelperError('usage', 'the output is several files', 'name a folder for them with --out'))
  })

  test('is refused where no folder can be', async () => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, '')
    const out = join(file, 'folder')
    await expect(writeAnswer(terminal, several, { out, file: 'replaced', readers: 'owner' })).rejects.toEqual(
      new HelperError('refused', `the folder ${out} cannot be created (ENOTDIR)`, 'name another one with --out'),
    )
  })
})
