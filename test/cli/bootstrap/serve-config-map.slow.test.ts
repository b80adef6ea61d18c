import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startServerProcess } from '../gateway/verifier/verifier-process.ts'
import { createServedFolder } from './served.ts'

/** A volume as Kubernetes fills it: files in a folder with a time in its name, to which `..data` leads, and links to them. */
class Volume {
  readonly path: string
  #count = 0

  constructor(path: string) {
    this.path = path
  }

  /** Replaces all files at once. */
  async fill(files: Readonly<Record<string, string>>, mode = 0o644): Promise<void> {
    this.#count += 1
    const place = `..2026_11_28_19_00_0${this.#count}`
    await mkdir(join(this.path, place))
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(this.path, place, name), text)
      await chmod(join(this.path, place, name), mode)
      await symlink(join('..data', name), join(this.path, name)).catch(() => {}) // it is there since the first time
    }
    await symlink(place, join(this.path, '..data_tmp'))
    await rename(join(this.path, '..data_tmp'), join(this.path, '..data'))
  }
}

async function createVolume(): Promise<Volume> {
  const path = await temporaryDirectory()
  await chmod(path, 0o1777)
  return new Volume(path)
}

/** Reads the files of a release folder as `kubectl create configmap --from-file` takes them: without folders. */
async function readFlat(folder: string): Promise<Record<string, string>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.json'))
  const files = paths.map(async (path) => [path.replace(/.*\//, ''), await readFile(join(folder, path), 'utf8')])
  return Object.fromEntries(await Promise.all(files))
}

test('a release in a ConfigMap and a secret of root, as Kubernetes mounts them, are served and replaced', async () => {
  const given = await createServedFolder([{ customHeaders: { 'x-key': '{secret.key}' } }])
  const [release, secrets] = [await createVolume(), await createVolume()]
  await release.fill(await readFlat(given.folder.path))
  await secrets.fill({ key: 'first' }, 0o440)
  const server = await startServerProcess(
    ...['bootstrap', 'serve', '--policy', given.policy, '--public-key', given.publicKey],
    ...['--release', join(release.path, '..data'), '--secret', `key=${join(secrets.path, '..data', 'key')}`],
    ...['--listen', '*:0'],
  )
  const ask = async () => {
    const address = server.addresses.listen.replace('*', '127.0.0.1')
    const answer = await fetch(`${address}/bootstrap`, { headers: { authorization: `Bearer ${given.token}` } })
    const { expiresAt: _, ...document } = (await answer.json()) as { expiresAt: number }
    return document
  }
  expect(await ask()).toEqual({ customHeaders: { 'x-key': 'first' } })

  await secrets.fill({ key: 'second' }, 0o440)
  await expect.poll(ask, { interval: 50 }).toEqual({ customHeaders: { 'x-key': 'second' } })

  const manifest = await given.folder.addRelease({ counter: 2, documents: { '': { v: 2 } } })
  await given.folder.point({ manifest, serial: 2 })
  await release.fill(await readFlat(given.folder.path))
  await expect.poll(ask, { interval: 50 }).toEqual({ v: 2 })
})
