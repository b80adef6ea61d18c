import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestFile } from '../../src/bootstrap/read-release-file.ts'
import { type Manifest, type Pointer, releaseFiles } from '../../src/bootstrap/release.ts'
import { digestSubject } from '../../src/bootstrap/select-document.ts'
import {
  createKeyPair,
  type PublicKey,
  parseSigningKey,
  renderSigned,
  type SigningKey,
} from '../../src/bootstrap/signed-line.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** The settings of a release in a test; everything else has a usual value. */
interface TestRelease {
  readonly counter?: number
  readonly groups?: Manifest['groups']
  readonly others?: Manifest['others']
  readonly subject?: string
  readonly waves?: number[]
  /** Subjects of the pilot. */
  readonly pilot?: string[]
  /** By the names of the groups with commas between, the document. */
  readonly documents: Readonly<Record<string, object>>
  readonly previous?: string
}

/** A release folder in which a test puts files as it likes, and the key that they are signed with. */
export class ReleaseFolder {
  readonly path: string
  readonly key: SigningKey

  private constructor(path: string, key: SigningKey) {
    this.path = path
    this.key = key
  }

  static async create(key: SigningKey = createSigningKey()): Promise<ReleaseFolder> {
    const path = await temporaryDirectory()
    await mkdir(join(path, 'documents'))
    await mkdir(join(path, 'manifests'))
    return new ReleaseFolder(path, key)
  }

  get keys(): readonly PublicKey[] {
    return [this.key]
  }

  /** Writes the documents and the manifest of a release, and returns the digest of the manifest. */
  async addRelease(release: TestRelease, key = this.key): Promise<string> {
    const { counter = 1, pilot = [], documents, ...rest } = release
    const id = `${counter}-0123456789ab`
    const combinations = Object.entries(documents).map(async ([groups, document]) => {
      const text = JSON.stringify(document)
      await writeFile(join(this.path, releaseFiles.document(digestFile(text))), text)
      return { groups: groups.split(',').filter(Boolean), document: digestFile(text) }
    })
    const manifest: Manifest = {
      type: 'bootstrap-manifest',
      format: 1,
      id,
      counter,
      publishedAt: '2026-11-24T12:00:00Z',
      subject: 'sub',
      others: 'base',
      groups: [],
      waves: [10, 100],
      ...rest,
      pilot: pilot.map((subject) => digestSubject(id, subject)),
      combinations: await Promise.all(combinations),
    }
    const text = renderSigned(manifest, key)
    await writeFile(join(this.path, releaseFiles.manifest(digestFile(text))), text)
    return digestFile(text)
  }

  /** Replaces the pointer. */
  async point(pointer: Partial<Pointer> & Pick<Pointer, 'manifest'>, key = this.key): Promise<void> {
    const whole: Pointer = {
      type: 'bootstrap-pointer',
      format: 1,
      serial: 1,
      releases: 1,
      changedAt: '2026-11-24T12:00:00Z',
      wave: 2,
      state: 'advancing',
      ...pointer,
    }
    await writeFile(join(this.path, releaseFiles.pointer), renderSigned(whole, key))
  }
}

/** Creates a new key that signs releases. */
export function createSigningKey(): SigningKey {
  return parseSigningKey(createKeyPair().signing)!
}
