import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createCleartextMessage, generateKey, sign } from 'openpgp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findPublishedSigner,
  keptPlace,
  recordPublished,
} from '../../../../pkg-scripts/executable/origin/published-sums.ts'
import { renderTar } from '../../../../pkg-scripts/release/render-archive.ts'
import { listenOnLoopback } from '../../../setup/loopback.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const linux = { target: 'linux-x64', version: '1.2.3' }
const windows = { target: 'win32-x64', version: '1.2.3' }
const program = Buffer.from('the program')
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The files that the server serves, by path, and its address. */
const served = new Map<string, Buffer | string>()
const server = createServer(({ url = '' }, answer) => {
  const content = served.get(url)
  answer.writeHead(content === undefined ? 404 : 200).end(content)
})
let from: string
let fingerprint: string
let release: Awaited<ReturnType<typeof createRelease>>

beforeAll(async () => {
  from = `http://127.0.0.1:${await listenOnLoopback(server)}`
  release = await createRelease()
  fingerprint = release.privateKey.getFingerprint().toUpperCase()
})
afterAll(() => server.close())

async function createRelease() {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'Releaser' }], format: 'object' })
  const files = [{ path: 'node-v1.2.3-linux-x64/bin/node', content: program, mode: 0o755 }]
  const archive = gzipSync(await renderTar(files, new Date(0)))
  return { privateKey, publicKey, archive }
}

/** Serves a release with these sums, signed by the key, and gives a place that trusts it. */
async function serveRelease(
  sums = `${digest(release.archive)}  node-v1.2.3-linux-x64.tar.gz\n${digest(program)}  win-x64/node.exe\n`,
) {
  const message = await createCleartextMessage({ text: sums })
  served.clear()
  served.set('/v1.2.3/SHASUMS256.txt.asc', await sign({ message, signingKeys: release.privateKey }))
  served.set('/v1.2.3/node-v1.2.3-linux-x64.tar.gz', release.archive)
  served.set('/v1.2.3/win-x64/node.exe', program)
  const directory = await temporaryDirectory()
  const place = { digests: join(directory, 'published'), keys: join(directory, 'keys') }
  await mkdir(place.keys)
  await writeFile(join(place.keys, `${fingerprint}.asc`), release.publicKey.armor())
  return { from, place }
}

describe('an archive of Node.js', () => {
  test.each([linux, windows])('is downloaded, compared byte by byte and kept: $target', async (runtime) => {
    const settings = await serveRelease()
    const find = (bytes: Buffer) => findPublishedSigner(runtime, digest(bytes), settings.place)
    const before = await find(program)
    const recorded = await recordPublished(runtime, program, settings)
    served.clear()
    const other = await find(Buffer.from('other')).catch((thrown: unknown) => thrown)
    expect({ before, recorded, kept: await find(program), other }).toEqual({
      before: undefined,
      recorded: fingerprint,
      kept: fingerprint,
      other: new Error('it is not the program that Node.js has published'),
    })
  })

  test.each([
    [linux, 'node-v1.2.3-linux-x64.tar.gz'],
    [windows, 'win-x64/node.exe'],
  ])('is refused where the program is another one, and nothing is kept: $target', async (runtime, file) => {
    const settings = await serveRelease()
    const other = Buffer.from('another program')
    const refused = await recordPublished(runtime, other, settings).catch((thrown: unknown) => thrown)
    expect([refused, await findPublishedSigner(runtime, digest(program), settings.place)]).toEqual([
      new Error(`it is not the program in ${file}`),
      undefined,
    ])
  })

  test('is refused where the archive has not the signed digest', async () => {
    const settings = await serveRelease(`${'0'.repeat(64)}  node-v1.2.3-linux-x64.tar.gz\n`)
    await expect(recordPublished(linux, program, settings)).rejects.toEqual(
      new Error('node-v1.2.3-linux-x64.tar.gz has not the digest that Node.js has signed'),
    )
  })

  test('is refused where it is not found', async () => {
    const settings = await serveRelease()
    served.delete('/v1.2.3/win-x64/node.exe')
    await expect(recordPublished(windows, program, settings)).rejects.toEqual(
      new Error(`${from}/v1.2.3/win-x64/node.exe answers with 404`),
    )
  })

  test('is refused where its server cannot be reached', async () => {
    const settings = await serveRelease()
    // The fetch of Node connects to no such port.
    const cause = new TypeError('fetch failed', { cause: new Error('bad port') })
    await expect(recordPublished(windows, program, { ...settings, from: 'http://127.0.0.1:1' })).rejects.toEqual(
      new Error('http://127.0.0.1:1/v1.2.3/SHASUMS256.txt.asc cannot be reached', { cause }),
    )
  })
})

describe('the signature', () => {
  const unknown = 'SHASUMS256.txt.asc is not signed by one of the keys in packaging/runtimes/keys'

  test('has to be of a key that is kept', async () => {
    const settings = await serveRelease()
    await expect(recordPublished(linux, program, { from: settings.from, place: keptPlace })).rejects.toEqual(
      new Error(unknown),
    )
  })

  test('has to cover the digests as they are kept', async () => {
    const settings = await serveRelease()
    await recordPublished(windows, program, settings)
    const path = join(settings.place.digests, 'v1.2.3', 'SHASUMS256.txt.asc')
    await writeFile(path, (await readFile(path, 'utf8')).replace(digest(program), '0'.repeat(64)))
    await expect(findPublishedSigner(windows, '0'.repeat(64), settings.place)).rejects.toEqual(new Error(unknown))
  })

  test('counts for nothing by a key whose file has the name of another', async () => {
    const settings = await serveRelease()
    await writeFile(join(settings.place.keys, `${'0'.repeat(40)}.asc`), release.publicKey.armor())
    await expect(recordPublished(windows, program, settings)).rejects.toEqual(
      new Error(
        `${join(settings.place.keys, `${'0'.repeat(40)}.asc`)} holds a key with another fingerprint than its name`,
      ),
    )
  })
})
