import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRelease } from '../../src/bootstrap/open-release.ts'
import { digestFile, type ReleaseError } from '../../src/bootstrap/read-release-file.ts'
import { releaseFiles } from '../../src/bootstrap/release.ts'
import { renderSigned } from '../../src/bootstrap/signed-line.ts'
import { createSigningKey, ReleaseFolder } from './release-folder.ts'

/** Creates a folder with a release that has reached everybody. */
async function createFolder(): Promise<{ folder: ReleaseFolder; manifest: string }> {
  const folder = await ReleaseFolder.create()
  const manifest = await folder.addRelease({ documents: { '': { a: 1 }, eng: { a: 2 } } })
  await folder.point({ manifest })
  return { folder, manifest }
}

/** Returns the code, the message and the hint with which a folder is refused, or `accepted`. */
async function attemptOpen(folder: ReleaseFolder, options: Parameters<typeof openRelease>[2] = {}) {
  try {
    await openRelease(folder.path, folder.keys, options)
    return 'accepted'
  } catch (error) {
    const { code, kind, message, hint } = error as ReleaseError
    return { code, kind, message: message.replaceAll(folder.path, 'FOLDER'), hint }
  }
}

/** Moves the files of a release out of its folders. */
async function flatten({ path }: ReleaseFolder) {
  for (const name of ['manifests', 'documents']) {
    for (const file of await readdir(join(path, name))) await rename(join(path, name, file), join(path, file))
    await rm(join(path, name), { recursive: true })
  }
}

const documentOf = (value: object) => releaseFiles.document(digestFile(JSON.stringify(value)))

describe('a release folder', () => {
  test('is read whole, with each document by the groups that get it', async () => {
    const { folder, manifest } = await createFolder()
    const { current, previous, pointer } = await openRelease(folder.path, folder.keys)
    const documents = current.documents.entries().map(([groups, { value }]) => [groups, value])
    expect({ documents: [...documents], digest: current.digest, previous, serial: pointer.serial }).toEqual({
      documents: [
        ['', { a: 1 }],
        ['eng', { a: 2 }],
      ],
      digest: manifest,
      previous: undefined,
      serial: 1,
    })
  })

  test('is the same in a copy without folders, as a ConfigMap has it', async () => {
    const { folder } = await createFolder()
    const whole = await openRelease(folder.path, folder.keys)
    await flatten(folder)
    expect(await openRelease(folder.path, folder.keys)).toEqual(whole)
  })

  test('includes the release before it until everybody gets the new one', async () => {
    const { folder, manifest: previous } = await createFolder()
    const manifest = await folder.addRelease({ counter: 2, previous, documents: { '': { a: 3 } } })
    const readPrevious = async (state: 'advancing' | 'halted', wave: number) => {
      await folder.point({ manifest, state, wave })
      return (await openRelease(folder.path, folder.keys)).previous?.digest
    }
    expect({
      beforeTheLastWave: await readPrevious('advancing', 1),
      halted: await readPrevious('halted', 2),
      everybody: await readPrevious('advancing', 2),
    }).toEqual({ beforeTheLastWave: previous, halted: previous, everybody: undefined })
  })

  test('that has not changed is the same object', async () => {
    const { folder } = await createFolder()
    const known = await openRelease(folder.path, folder.keys)
    expect(await openRelease(folder.path, folder.keys, { known })).toBe(known)
  })

  test('reuses a document that has not changed without reading it again', async () => {
    const { folder, manifest: previous } = await createFolder()
    const known = await openRelease(folder.path, folder.keys)
    const manifest = await folder.addRelease({ counter: 2, previous, documents: { '': { a: 1 }, eng: { a: 4 } } })
    await folder.point({ manifest, serial: 2 })
    await rm(join(folder.path, documentOf({ a: 1 })))
    const next = await openRelease(folder.path, folder.keys, { known })
    expect([...next.current.documents.values()].map(({ value }) => value)).toEqual([{ a: 1 }, { a: 4 }])
  })
})

describe('a release is refused', () => {
  test('with an older pointer than one that has been seen', async () => {
    const { folder, manifest } = await createFolder()
    const old = await readFile(join(folder.path, releaseFiles.pointer))
    await folder.point({ manifest, serial: 7 })
    const known = await openRelease(folder.path, folder.keys)
    await writeFile(join(folder.path, releaseFiles.pointer), old)
    const refusal = (seen: number) => ({
      code: 'rolled-back',
      kind: 'refused',
      message: 'current.json has the serial 1, and a later one has been seen',
      hint: `copy the newest current.json back: somebody may have put an old one there; if it is lost, publish until the serial is above ${seen}`,
    })
    const options = [{ known }, { lowestSerial: 2 }, { lowestSerial: 9, known }, { lowestSerial: 1 }]
    expect(await Promise.all(options.map((each) => attemptOpen(folder, each)))).toEqual([
      refusal(7),
      refusal(2),
      refusal(9),
      'accepted',
    ])
  })

  const otherKey = (name: string) => ({
    code: 'unknown-key',
    kind: 'refused',
    message: `${name} is signed with another key`,
    hint: 'name the public key of whoever publishes this folder; a file may hold several',
  })

  test('with a pointer that is signed with a key that is not named', async () => {
    const { folder, manifest } = await createFolder()
    await folder.point({ manifest }, createSigningKey())
    expect(await attemptOpen(folder)).toEqual(otherKey('current.json'))
  })

  test('with a manifest that is signed with a key that is not named', async () => {
    const { folder } = await createFolder()
    const manifest = await folder.addRelease({ documents: { '': { evil: 1 } } }, createSigningKey())
    await folder.point({ manifest })
    expect(await attemptOpen(folder)).toEqual(otherKey(releaseFiles.manifest(manifest)))
  })

  test('signed with another key under the id of a named one, which is public', async () => {
    const { folder, manifest } = await createFolder()
    await folder.point({ manifest }, { ...createSigningKey(), id: folder.key.id })
    expect(await attemptOpen(folder)).toEqual({
      code: 'bad-signature',
      kind: 'refused',
      message: 'current.json was changed after it was signed',
      hint: 'find out who can write the folder, and copy the file from where the folder is whole: nothing is published over it',
    })
  })

  test.each<[what: string, nameOf: (manifest: string) => string]>([
    ['pointer', () => releaseFiles.pointer],
    ['manifest', releaseFiles.manifest],
    ['document', () => documentOf({ a: 2 })],
  ])('with any byte of the %s changed, added or missing', async (_, nameOf) => {
    const { folder, manifest } = await createFolder()
    const path = join(folder.path, nameOf(manifest))
    const good = await readFile(path)
    const changed = Array.from(good.keys(), (at) => good.with(at, good[at]! ^ 1))
    const others = [...changed, good.subarray(0, -1), Buffer.concat([good, Buffer.from('\n')]), Buffer.alloc(0)]
    const accepted = []
    for (const bytes of others) {
      await writeFile(path, bytes)
      if ((await attemptOpen(folder)) === 'accepted') accepted.push(bytes)
    }
    await writeFile(path, good)
    expect({ accepted, good: await attemptOpen(folder) }).toEqual({ accepted: [], good: 'accepted' })
  })

  test('with a link instead of a file or of a directory', async () => {
    const { folder, manifest } = await createFolder()
    const refusal = (name: string) => ({
      code: 'link',
      kind: 'refused',
      message: `${name} is a link, or not a file or directory as it has to be`,
      hint: 'copy the files themselves: nothing in a release folder may be a link',
    })
    const names = [
      releaseFiles.pointer,
      releaseFiles.manifest(manifest),
      documentOf({ a: 1 }),
      'documents',
      'manifests',
    ]
    const outcomes = []
    for (const name of names) {
      const path = join(folder.path, name)
      await rename(path, `${path}.moved`)
      await symlink(`${path}.moved`, path)
      outcomes.push(await attemptOpen(folder))
      await rm(path)
      await rename(`${path}.moved`, path)
    }
    expect([...outcomes, await attemptOpen(folder)]).toEqual([...names.map(refusal), 'accepted'])
  })

  const badFormat = (name: string) => ({
    code: 'bad-format',
    kind: 'refused',
    message: `${name} has a form that this program does not know`,
    hint: 'update this program to the release that published the folder, or a later one',
  })

  test('where the pointer names a manifest by a path', async () => {
    const { folder } = await createFolder()
    await folder.point({ manifest: '../../etc/passwd' })
    expect(await attemptOpen(folder)).toEqual(badFormat('current.json'))
  })

  test('where the manifest names a document by a path', async () => {
    const { folder } = await createFolder()
    const line = { type: 'bootstrap-manifest', format: 1, combinations: [{ groups: [], document: '../current' }] }
    const text = renderSigned(line, folder.key)
    await writeFile(join(folder.path, releaseFiles.manifest(digestFile(text))), text)
    await folder.point({ manifest: digestFile(text) })
    expect(await attemptOpen(folder)).toEqual(badFormat(releaseFiles.manifest(digestFile(text))))
  })

  const notWhole = (name: string) => ({
    code: 'missing',
    kind: 'unavailable',
    message: `the release in FOLDER is not whole: it has no ${name}`,
    hint: 'copy the folder again, with current.json after everything else',
  })

  test('without one of its documents', async () => {
    const { folder } = await createFolder()
    await rm(join(folder.path, documentOf({ a: 2 })))
    expect(await attemptOpen(folder)).toEqual(notWhole(documentOf({ a: 2 })))
  })

  test('without its manifest', async () => {
    const { folder, manifest } = await createFolder()
    await rm(join(folder.path, releaseFiles.manifest(manifest)))
    expect(await attemptOpen(folder)).toEqual(notWhole(releaseFiles.manifest(manifest)))
  })

  test('without its manifest in a copy without folders', async () => {
    const { folder, manifest } = await createFolder()
    await flatten(folder)
    await rm(join(folder.path, `${manifest}.json`))
    expect(await attemptOpen(folder)).toEqual(notWhole(releaseFiles.manifest(manifest)))
  })

  test('without the pointer, which a copy writes last', async () => {
    const { folder } = await createFolder()
    await rm(join(folder.path, releaseFiles.pointer))
    expect(await attemptOpen(folder)).toEqual({
      code: 'missing',
      kind: 'unavailable',
      message: 'there is no release in FOLDER: it has no current.json',
      hint: 'name the folder that a release was published to; if it is being copied, that file comes last',
    })
  })

  const tooLarge = (message: string) => ({
    code: 'too-large',
    kind: 'refused',
    message,
    hint: 'publish the release again with less in it',
  })

  test('with a pointer that is too long', async () => {
    const { folder } = await createFolder()
    await writeFile(join(folder.path, releaseFiles.pointer), Buffer.alloc(64 * 1024 + 1, ' '))
    expect(await attemptOpen(folder)).toEqual(tooLarge('current.json is longer than 64 KiB'))
  })

  test('with a document that is too long', async () => {
    const { folder } = await createFolder()
    const document = { a: 'x'.repeat(1024 * 1024) }
    await folder.point({ manifest: await folder.addRelease({ documents: { '': document } }) })
    expect(await attemptOpen(folder)).toEqual(tooLarge(`${documentOf(document)} is longer than 1 MiB`))
  })
})
