import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Key, readCleartextMessage, readKey, verify } from 'openpgp'
import { root } from '../../tree.ts'
import { expandArchive } from '../expand-archive.ts'
import { isWindows, type Runtime } from '../runtimes.ts'

/** The files of published digests that this repository keeps. */
export const keptPlace: PublishedPlace = {
  digests: join(root, 'packaging', 'runtimes', 'published'),
  keys: join(root, 'packaging', 'runtimes', 'keys'),
}

/** The address at which Node.js publishes. */
export const nodeDownloads = 'https://nodejs.org/dist'

/**
 * Compares the digest of a program (SHA-256) with the one that is kept. Archives have the signed digest, so that the digest of a program in an
 * archive is one that `recordPublished` has found there.
 * @returns the fingerprint of the key that has signed; `undefined` where nothing is kept of the release.
 * @throws where the signature is not valid, or the program another one.
 */
export async function findPublishedSigner(
  release: Release,
  sha256: string,
  place: PublishedPlace,
): Promise<string | undefined> {
  const kept = locate(release, place)
  if (!existsSync(kept.sums)) return undefined
  const { sums, signer } = await parseSignedSums(readFileSync(kept.sums, 'utf8'), await readKeys(place.keys))
  const expected = isBareProgram(release)
    ? sums.get(nameDownload(release))
    : readPrograms(kept.programs)[release.target]
  if (expected === undefined) return undefined
  if (expected !== sha256) throw new Error('it is not the program that Node.js has published')
  return signer
}

/** The addresses of the digests that Node.js publishes, and the keys of which one must have signed them. */
interface PublishedPlace {
  /** The folder in which each release of Node has one, with the file of digests and the digests of programs in archives. */
  readonly digests: string
  /** The public keys of those who make releases, each named by its fingerprint. */
  readonly keys: string
}

type Release = Pick<Runtime, 'target' | 'version'>

/**
 * Downloads what Node.js publishes of a release, verifies it, compares the program in it byte by byte, and keeps the digests.
 * @returns the fingerprint of the key that has signed.
 * @throws where a download fails, or anything is not what was signed.
 */
export async function recordPublished(
  release: Release,
  program: Buffer,
  { from, place }: { from: string; place: PublishedPlace },
): Promise<string> {
  const text = (await download(`${from}/v${release.version}/SHASUMS256.txt.asc`)).toString('utf8')
  const { sums, signer } = await parseSignedSums(text, await readKeys(place.keys))
  const name = nameDownload(release)
  const published = await download(`${from}/v${release.version}/${name}`)
  if (sums.get(name) !== hash('sha256', published))
    throw new Error(`${name} has not the digest that Node.js has signed`)
  const found = isBareProgram(release) ? published : await readProgram(release, published)
  if (!found.equals(program)) throw new Error(`it is not the program in ${name}`)
  const kept = locate(release, place)
  mkdirSync(kept.directory, { recursive: true })
  writeFileSync(kept.sums, text)
  writeFileSync(
    kept.programs,
    renderPrograms({ ...readPrograms(kept.programs), [release.target]: hash('sha256', program) }),
  )
  return signer
}

/**
 * Parses the digests in a clear-signed `SHASUMS256.txt.asc`, by file, and the fingerprint of the key that has signed them.
 * @throws where none of these keys has signed it.
 */
async function parseSignedSums(
  text: string,
  keys: readonly Key[],
): Promise<{ sums: ReadonlyMap<string, string>; signer: string }> {
  const message = await readCleartextMessage({ cleartextMessage: text })
  const { data, signatures } = await verify({ message, verificationKeys: [...keys] })
  for (const { keyID, verified } of signatures) {
    const key = keys.find((one) => one.getKeys(keyID).length > 0)
    if (key === undefined || !(await verified.catch(() => false))) continue
    const lines = data.split(/\r?\n/).flatMap((line) => /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [])
    const sums = new Map(Array.from({ length: lines.length / 3 }, (_, at) => [lines[at * 3 + 2]!, lines[at * 3 + 1]!]))
    return { sums, signer: key.getFingerprint().toUpperCase() }
  }
  throw new Error('SHASUMS256.txt.asc is not signed by one of the keys in packaging/runtimes/keys')
}

async function readKeys(directory: string): Promise<Key[]> {
  return Promise.all(globSync('*.asc', { cwd: directory }).map((file) => readNamedKey(join(directory, file))))
}

async function readNamedKey(path: string): Promise<Key> {
  const key = await readKey({ armoredKey: readFileSync(path, 'utf8') })
  if (key.getFingerprint().toUpperCase() === basename(path, '.asc')) return key
  throw new Error(`${path} holds a key with another fingerprint than its name`)
}

function locate({ version }: Release, { digests }: PublishedPlace) {
  const directory = join(digests, `v${version}`)
  return { directory, sums: join(directory, 'SHASUMS256.txt.asc'), programs: join(directory, 'programs.json') }
}

function readPrograms(path: string): Readonly<Record<string, string>> {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

/** Returns whether Node.js publishes the program as a file of its own, besides in an archive. */
function isBareProgram({ target }: Release): boolean {
  return isWindows(target)
}

function nameDownload(release: Release): string {
  const { version, target } = release
  return isBareProgram(release) ? `${target.replace('win32', 'win')}/node.exe` : `node-v${version}-${target}.tar.gz`
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url).catch((cause: Error) => {
    throw new Error(`${url} cannot be reached`, { cause })
  })
  if (!answer.ok) throw new Error(`${url} answers with ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

async function readProgram({ version, target }: Release, archive: Buffer): Promise<Buffer> {
  const name = `node-v${version}-${target}/bin/node`
  const program = (await expandArchive(archive, [name])).get(name)
  if (program === undefined) throw new Error(`there is no ${name} in the archive`)
  return program
}

function renderPrograms(digests: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(Object.fromEntries(Object.entries(digests).sort()), undefined, 2)}\n`
}
