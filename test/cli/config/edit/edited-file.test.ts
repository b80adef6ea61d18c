import { existsSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEditedFile, writeEditedFile } from '../../../../src/cli/config/edit/edited-file.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

async function writeTemporary(content: string | Uint8Array) {
  const directory = await temporaryDirectory()
  const path = join(directory, 'doc.json')
  await writeFile(path, content)
  return { directory, path }
}

const save = (path: string, text: string, base: string) =>
  writeEditedFile(path, { text, base, readers: 'as the system creates files' })

async function catchFailure(work: Promise<unknown>) {
  const failure = await work.catch((error: unknown) => error)
  if (!(failure instanceof HelperError)) throw new Error('expected a HelperError')
  const { kind, message, hint } = failure
  return { kind, message, hint }
}

describe('saving', () => {
  test('replaces the file and keeps its mode', async () => {
    const { directory, path } = await writeTemporary('{}')
    await chmod(path, 0o640)
    const { digest } = await readEditedFile(path)
    const saved = await save(path, '{"a":1}', digest)
    expect({ saved, mode: (await stat(path)).mode & 0o777, names: await readdir(directory) }).toEqual({
      saved: { isSaved: true, file: await readEditedFile(path) },
      mode: 0o640,
      names: ['doc.json'],
    })
  })

  test('writes the text as it is given', async () => {
    const { path } = await writeTemporary('{}')
    await save(path, '{"a":1}', (await readEditedFile(path)).digest)
    expect(await readFile(path, 'utf8')).toBe('{"a":1}')
  })

  test('returns what another program wrote instead of overwriting it', async () => {
    const { directory, path } = await writeTemporary('{}')
    const { digest } = await readEditedFile(path)
    await writeFile(path, '{"theirs":1}')
    const saved = await save(path, '{"mine":1}', digest)
    expect({ saved, names: await readdir(directory) }).toEqual({
      saved: { isSaved: false, file: { text: '{"theirs":1}', digest: (await readEditedFile(path)).digest } },
      names: ['doc.json'],
    })
  })

  test('creates a file that does not exist, unless another program has', async () => {
    const path = join(await temporaryDirectory(), 'new.json')
    const before = await readEditedFile(path)
    const saved = [await save(path, '{"a":1}', 'absent'), await save(path, '{"b":1}', 'absent')]
    const { digest } = await readEditedFile(path)
    expect({ before, saved }).toEqual({
      before: { text: '', digest: 'absent' },
      saved: [true, false].map((isSaved) => ({ isSaved, file: { text: '{"a":1}', digest } })),
    })
  })

  test('a new file with a key is for its owner alone', async () => {
    const path = join(await temporaryDirectory(), 'new.json')
    await writeEditedFile(path, { text: '{}', base: 'absent', readers: 'owner' })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('a file that was removed meanwhile is not created again', async () => {
    const path = join(await temporaryDirectory(), 'gone.json')
    expect({ outcome: await save(path, '{}', 'a digest'), exists: existsSync(path) }).toEqual({
      outcome: { isSaved: false, file: { text: '', digest: 'absent' } },
      exists: false,
    })
  })

  test('a link stays a link while the file behind it is replaced', async () => {
    const { directory, path } = await writeTemporary('{}')
    const linked = join(directory, 'linked.json')
    await symlink(path, linked)
    await save(linked, '{"a":1}', (await readEditedFile(linked)).digest)
    expect({ isLink: (await lstat(linked)).isSymbolicLink(), content: await readFile(path, 'utf8') }).toEqual({
      isLink: true,
      content: '{"a":1}',
    })
  })

  test('a hard link keeps the old content', async () => {
    const { directory, path } = await writeTemporary('{}')
    await link(path, join(directory, 'copy.json'))
    await save(path, '{"a":1}', (await readEditedFile(path)).digest)
    expect(await readFile(join(directory, 'copy.json'), 'utf8')).toBe('{}')
  })

  test('the second of two saves of the same content is told of the first', async () => {
    const { path } = await writeTemporary('{}')
    const { digest } = await readEditedFile(path)
    const texts = Array.from({ length: 8 }, (_, at) => `{"a":${at}}`)
    const saved = await Promise.all(texts.map((text) => save(path, text, digest)))
    const written = saved.flatMap(({ isSaved }, at) => (isSaved ? [texts[at]] : []))
    expect(written).toEqual([await readFile(path, 'utf8')])
  })
})

describe('a file that cannot be edited as JSON text is refused', () => {
  test.each([
    [
      'a property list',
      '<?xml version="1.0"?><plist><dict/></plist>',
      (path: string) => ({
        kind: 'usage',
        message: `${path} is a property list or a registry file, not JSON`,
        hint: `write it as JSON first: gatepass config convert '${path}' --to nested --out '${path}.json'`,
      }),
    ],
    [
      'bytes that are not UTF-8',
      Uint8Array.of(0x7b, 0xe9, 0x7d),
      (path: string) => ({
        kind: 'usage',
        message: `${path}: it has bytes that are not UTF-8`,
        hint: 'save it as UTF-8',
      }),
    ],
  ])('refuses %s', async (_, content, expected) => {
    const { path } = await writeTemporary(content)
    expect(await catchFailure(readEditedFile(path))).toEqual(expected(path))
  })

  test('refuses a directory', async () => {
    const path = join(await temporaryDirectory(), 'folder')
    await mkdir(path)
    const message = `${path} is not a file`
    expect(await catchFailure(readEditedFile(path))).toEqual({
      kind: 'usage',
      message,
      hint: 'name the file of a document',
    })
  })
})

test('a byte order mark is left out of the text and of what is saved', async () => {
  const { path } = await writeTemporary('\uFEFF{}')
  const { text, digest } = await readEditedFile(path)
  await save(path, '{"a":1}', digest)
  expect({ text, written: await readFile(path, 'utf8') }).toEqual({ text: '{}', written: '{"a":1}' })
})
