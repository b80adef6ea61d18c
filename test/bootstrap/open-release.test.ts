import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openRelease } from '../../src/bootstrap/open-release.ts'
import { digestFile, type ReleaseError } from '../../src/bootstrap/read-release-file.ts'
import { releaseFiles } from '../../src/bootstrap/release.ts'
import { renderSigned } from '../../src/bootstrap/signed-line.ts'
import { createSigningKey, ReleaseFolder } from './release-folder.ts'

/** A folder with a release that has reached everybody. */
async function createFolder(): Promise<{ folder: ReleaseFolder; manifest: string }> {
  const folder = await ReleaseFolder.create()
  const manifest = await folder.addRelease({ documents: { '': { a: 1 }, eng: { a: 2 } } })
  await folder.point({ manifest })
  return { folder, manifest }
}

/** The code, the message and the hint with which a folder is refused, or `accepted`. */
async function attemptOpen(folder: ReleaseFolder, options: Parameters<typeof openRelease>[2] = {}) {
  try {
    await openRelease(folder.path, folder.keys, options)
    return 'accepted'
  } catch (error) {
    const { code, kind, message, hint } = error as ReleaseError
    return { code, kind, message: message.replaceAll(folder.path, 'FOLDER'), hint }
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
    const { folder, manifest } = await createFolder()
    for (const name of ['manifests', 'documents']) {
      for (const file of await readdir(join(folder.path, name)))
        await rename(join(folder.path, name, file), join(folder.path, file))
      await rm(join(folder.path, name), { recursive: true })
    }
    const { current } = await openRelease(folder.path, folder.keys)
    expect([current.digest, current.documents.size]).toEqual([manifest, 2])
    await rm(join(folder.path, `${manifest}.json`))
    expect(await attemptOpen(folder)).toEqual({
      code: 'missing',
      kind: 'unavailable',
      message: `the release in FOLDER is not whole: it has no manifests/${manifest}.json`,
      hint: 'copy the folder again, with current.json after everything else',
    })
  })

  test('brings the release before it for as long as not everybody gets the new one, or it is halted', async () => {
    const { folder, manifest: previous } = await createFolder()
    const manifest = await folder.addRelease({ counter: 2, previous, documents: { '': { a: 3 } } })
    const readPrevious = async (state: 'advancing' | 'halted', wave: number) => {
      await folder.point({ manifest, state, wave })
      return (await openRelease(folder.path, folder.keys)).previous?.digest
    }
    expect(await readPrevious('advancing', 1)).toBe(previous)
    expect(await readPrevious('halted', 2)).toBe(previous)
    expect(await readPrevious('advancing', 2)).toBe(undefined)
  })

  test('that has not changed is the same object, and a document that stays is not read again', async () => {
    const { folder, manifest: previous } = await createFolder()
    const known = await openRelease(folder.path, folder.keys)
    expect(await openRelease(folder.path, folder.keys, { known })).toBe(known)
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
    expect(await attemptOpen(folder, { known })).toEqual(refusal(7))
    expect(await attemptOpen(folder, { lowestSerial: 2 })).toEqual(refusal(2))
    expect(await attemptOpen(folder, { lowestSerial: 9, known })).toEqual(refusal(9))
    expect(await attemptOpen(folder, { lowestSerial: 1 })).toBe('accepted')
  })

  test('signed with a key that is not named, whether pointer or manifest', async () => {
    const { folder, manifest } = await createFolder()
    const stranger = createSigningKey()
    await folder.point({ manifest }, stranger)
    const refusal = (name: string) => ({
      code: 'unknown-key',
      kind: 'refused',
      message: `${name} is signed with another key`,
      hint: 'name the public key of whoever publishes this folder; a file may hold several',
    })
    expect(await attemptOpen(folder)).toEqual(refusal('current.json'))
    const other = await folder.addRelease({ documents: { '': { evil: 1 } } }, stranger)
    await folder.point({ manifest: other })
    expect(await attemptOpen(folder)).toEqual(refusal(releaseFiles.manifest(other)))
    // The id of a key is public: a signature by another key under that id is not accepted.
    await folder.point({ manifest }, { ...stranger, id: folder.key.id })
    expect(await attemptOpen(folder)).toEqual({
      code: 'bad-signature',
      kind: 'refused',
      message: 'current.json was changed after it was signed',
      hint: 'find out who can write the folder, and copy the file from where the folder is whole: nothing is published over it',
    })
  })

  test('with any byte of the pointer, a manifest or a document changed, added or missing', async () => {
    const { folder, manifest } = await createFolder()
    const names = [releaseFiles.pointer, releaseFiles.manifest(manifest), documentOf({ a: 2 })]
    for (const name of names) {
      const path = join(folder.path, name)
      const good = await readFile(path)
      const codes = new Set<unknown>()
      for (const at of good.keys()) {
        const changed = Buffer.from(good)
        changed[at]! ^= 1
        await writeFile(path, changed)
        codes.add(Object(await attemptOpen(folder)).code)
      }
      for (const bytes of [good.subarray(0, -1), Buffer.concat([good, Buffer.from('\n')]), Buffer.alloc(0)]) {
        await writeFile(path, bytes)
        codes.add(Object(await attemptOpen(folder)).code)
      }
      await writeFile(path, good)
      expect([name, codes.has(undefined)]).toEqual([name, false])
    }
    expect(await attemptOpen(folder)).toBe('accepted')
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
    for (const name of names) {
      const path = join(folder.path, name)
      await rename(path, `${path}.moved`)
      await symlink(`${path}.moved`, path)
      expect(await attemptOpen(folder)).toEqual(refusal(name))
      await rm(path)
      await rename(`${path}.moved`, path)
    }
    expect(await attemptOpen(folder)).toBe('accepted')
  })

  test('where a signed file names another one by a path', async () => {
    const { folder } = await createFolder()
    const badFormat = (name: string) => ({
      code: 'bad-format',
      kind: 'refused',
      message: `${name} has a form that this program does not know`,
      hint: 'update this program to the release that published the folder, or a later one',
    })
    await folder.point({ manifest: '../../etc/passwd' })
    expect(await attemptOpen(folder)).toEqual(badFormat('current.json'))
    const line = { type: 'bootstrap-manifest', format: 1, combinations: [{ groups: [], document: '../current' }] }
    const text = renderSigned(line, folder.key)
    await writeFile(join(folder.path, releaseFiles.manifest(digestFile(text))), text)
    await folder.point({ manifest: digestFile(text) })
    expect(await attemptOpen(folder)).toEqual(badFormat(releaseFiles.manifest(digestFile(text))))
  })

  test('that is not whole, as while it is copied', async () => {
    const { folder, manifest } = await createFolder()
    const notWhole = (name: string) => ({
      code: 'missing',
      kind: 'unavailable',
      message: `the release in FOLDER is not whole: it has no ${name}`,
      hint: 'copy the folder again, with current.json after everything else',
    })
    await rm(join(folder.path, documentOf({ a: 2 })))
    expect(await attemptOpen(folder)).toEqual(notWhole(documentOf({ a: 2 })))
    await rm(join(folder.path, releaseFiles.manifest(manifest)))
    expect(await attemptOpen(folder)).toEqual(notWhole(releaseFiles.manifest(manifest)))
    await rm(join(folder.path, releaseFiles.pointer))
    expect(await attemptOpen(folder)).toEqual({
      code: 'missing',
      kind: 'unavailable',
      message: 'there is no release in FOLDER: it has no current.json',
      hint: 'name the folder that a release was published to; if it is being copied, that file comes last',
    })
    expect(await readdir(folder.path)).toEqual(['documents', 'manifests'])
  })

  test('with a file that is too long', async () => {
    const { folder } = await createFolder()
    await writeFile(join(folder.path, releaseFiles.pointer), Buffer.alloc(64 * 1024 + 1, ' '))
    expect(await attemptOpen(folder)).toEqual({
      code: 'too-large',
      kind: 'refused',
      message: 'current.json is longer than 64 KiB',
      hint: 'publish the release again with less in it',
    })
    const manifest = await folder.addRelease({ documents: { '': { a: 'x'.repeat(1024 * 1024) } } })
    await folder.point({ manifest })
    const refused = await attemptOpen(folder)
    expect(JSON.parse(JSON.stringify(refused).replace(/[0-9a-f]{64}/, 'DIGEST'))).toEqual({
      code: 'too-large',
      kind: 'refused',
      message: 'documents/DIGEST.json is longer than 1 MiB',
      hint: 'publish the release again with less in it',
    })
  })
})
