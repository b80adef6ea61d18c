import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { releaseFiles } from '../../../src/bootstrap/release.ts'
import { renderSigned } from '../../../src/bootstrap/signed-line.ts'
import { createSigningKey } from '../../bootstrap/release-folder.ts'
import { type Served, startServed } from './served.ts'

const good = { v: 'good' }
const goodAnswer = { status: 200, etag: `"${digestFile(JSON.stringify(good))}"` }

/** Each puts a release into the folder that nobody may get. */
const attacks: readonly [what: string, attack: (served: Served) => Promise<unknown>, problem: string][] = [
  [
    'a manifest of another key',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'evil' } } }, createSigningKey())
      await folder.point({ manifest, serial: 9 })
    },
    'manifests/DIGEST.json is signed with another key',
  ],
  [
    'a pointer of another key',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'evil' } } })
      await folder.point({ manifest, serial: 9 }, createSigningKey())
    },
    'current.json is signed with another key',
  ],
  [
    'a link in place of a document',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'linked' } } })
      const path = join(folder.path, releaseFiles.document(digestFile('{"v":"linked"}')))
      await rename(path, `${path}.moved`)
      await symlink(`${path}.moved`, path)
      await folder.point({ manifest, serial: 9 })
    },
    'documents/DIGEST.json is a link, or not a file or directory as it has to be',
  ],
  [
    'a signed manifest whose document lies outside the folder',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'other' } } })
      const [line = ''] = (await readFile(join(folder.path, releaseFiles.manifest(manifest)), 'utf8')).split('\n')
      const value = JSON.parse(line)
      value.combinations[0].document = '../../../etc/hostname'
      const text = renderSigned(value, folder.key)
      await writeFile(join(folder.path, releaseFiles.manifest(digestFile(text))), text)
      await folder.point({ manifest: digestFile(text), serial: 9 })
    },
    'manifests/DIGEST.json has a form that this program does not know',
  ],
  [
    'a document that was changed after it was signed',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'signed' } } })
      await writeFile(join(folder.path, releaseFiles.document(digestFile('{"v":"signed"}'))), '{"v":"change"}')
      await folder.point({ manifest, serial: 9 })
    },
    'documents/DIGEST.json has content that does not match its name',
  ],
  [
    'a document that is missing',
    async ({ folder }) => {
      const manifest = await folder.addRelease({ counter: 2, documents: { '': { v: 'gone' } } })
      await rm(join(folder.path, releaseFiles.document(digestFile('{"v":"gone"}'))))
      await folder.point({ manifest, serial: 9 })
    },
    'the release in FOLDER is not whole: it has no documents/DIGEST.json',
  ],
  [
    'the pointer of an older release, which is signed too',
    async ({ oldPointer, folder }) => writeFile(join(folder.path, releaseFiles.pointer), oldPointer),
    'current.json has the serial 1, and a later one has been seen',
  ],
]

describe.each(['while it runs', 'and after a restart'] as const)('the server refuses a bad release %s', (when) => {
  test.each(attacks)('where it finds %s', async (_, attack, problem) => {
    const served = await startServed({ documents: [{ v: 'old' }, good] })
    await attack(served)
    if (when === 'and after a restart') await served.restart()
    const event = await served.waitForEvent('release-refused')
    const rest = when === 'while it runs' ? 'the release before it is served on' : 'nothing is served'
    const words = String(event.message)
      .replaceAll(served.folder.path, 'FOLDER')
      .replace(/[0-9a-f]{64}/, 'DIGEST')
    expect(words).toBe(`FOLDER cannot be served, and ${rest}: ${problem}`)
    // A server that has just started has no last good release.
    expect(await served.ask()).toEqual(when === 'while it runs' ? goodAnswer : { status: 503, etag: undefined })
    // The way back is another signed release with a higher serial.
    const manifest = await served.folder.addRelease({ counter: 3, documents: { '': { v: 'new' } } })
    await served.folder.point({ manifest, serial: 10 })
    await expect
      .poll(served.ask, { interval: 50 })
      .toEqual({ status: 200, etag: `"${digestFile(JSON.stringify({ v: 'new' }))}"` })
  })
})

test('without --state a restart accepts an older release that is signed', async () => {
  const served = await startServed({ documents: [{ v: 'old' }, good], hasState: false })
  await writeFile(join(served.folder.path, releaseFiles.pointer), served.oldPointer)
  await served.restart()
  expect(await served.ask()).toEqual({ status: 200, etag: `"${digestFile('{"v":"old"}')}"` })
})

test('a new release is served although the state cannot be written, which the log and a metric say', async () => {
  const served = await startServed({ documents: [good] })
  const readMetric = async () => {
    const text = await (await fetch(`${served.admin()}/metrics`)).text()
    return /^gatepass_bootstrap_state_unwritten (\d)$/m.exec(text)?.[1]
  }
  const before = await readMetric()
  await rename(served.stateDirectory, `${served.stateDirectory}-away`)
  const manifest = await served.folder.addRelease({ counter: 2, documents: { '': { v: 'new' } } })
  await served.folder.point({ manifest, serial: 9 })
  const { level, message } = await served.waitForEvent('state')
  const meanwhile = { answer: await served.ask(), unwritten: await readMetric() }
  await rename(`${served.stateDirectory}-away`, served.stateDirectory)
  await expect.poll(readMetric, { interval: 50 }).toBe('0')
  const state = JSON.parse(await readFile(join(served.stateDirectory, 'served.json'), 'utf8'))
  const told = { level, message: String(message).replace(served.stateDirectory, 'DIR') }
  expect({ before, told, meanwhile, state }).toEqual({
    before: '0',
    told: { level: 'error', message: 'DIR/served.json cannot be written (ENOENT)' },
    meanwhile: { answer: { status: 200, etag: `"${digestFile('{"v":"new"}')}"` }, unwritten: '1' },
    state: { format: 1, serial: 9 },
  })
})
