import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { machineDirectories } from '../../../src/runtime/host.ts'
import { usualPorts } from '../../../src/verify/server/listen-address.ts'
import { debianArchitectures } from '../linux/debian.ts'
import type { PackagedPart, Packaging, Published } from '../part/packaged-part.ts'
import { imageUser, type LayerEntry, readBaseLayer } from './base-layer.ts'

/**
 * Packs the container image of the command, as an OCI layout in a tar archive (`oci-archive:` of skopeo, podman and buildah). It runs the
 * verifier by default, and has no shell.
 */
export async function packImage(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const { time, version, target } = packaging
  const architecture = debianArchitectures[target]!
  const base = await packLayer(await readBaseLayer(architecture), time)
  const own = await packLayer(listOwnFiles(part, packaging), time)
  const blobs = [base.blob, own.blob]
  const config = toJsonBlob(
    toImageConfig(part, packaging, { architecture, diffIds: [base.diffId, own.diffId] }),
    'application/vnd.oci.image.config.v1+json',
  )
  const manifest = toJsonBlob(
    {
      schemaVersion: 2,
      mediaType: manifestType,
      config: config.descriptor,
      layers: blobs.map(({ descriptor }) => descriptor),
      annotations: createLabels(part, packaging),
    },
    manifestType,
  )
  const platform = { os: 'linux', architecture }
  const annotations = { 'org.opencontainers.image.ref.name': `${part.name}:${version}` }
  const index = {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [{ ...manifest.descriptor, platform, annotations }],
  }
  const entries: LayerEntry[] = [
    toFile('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    toFile('index.json', JSON.stringify(index)),
    ...[...blobs, config, manifest].map(({ digest, content }) => toFile(`blobs/sha256/${digest}`, content)),
  ]
  return { name: `${part.name}-${version}-${target}.oci.tar`, content: await renderTarOf(entries, time) }
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'

/** The addresses for gateways and the operator: every address of the container, which has its own network. */
const { verifier, verifierAdmin } = usualPorts
const addresses = ['--listen', `*:${verifier}`, '--admin-listen', `*:${verifierAdmin}`]

/** Returns the facts under the names of the OCI image specification. */
function createLabels({ name, summary }: PackagedPart, { version, time, publisher, helpUrl, licence }: Packaging) {
  const facts = { title: name, description: summary, version, vendor: publisher, url: helpUrl, licenses: licence }
  const all = { ...facts, created: time.toISOString() }
  return Object.fromEntries(Object.entries(all).map(([fact, value]) => [`org.opencontainers.image.${fact}`, value]))
}

/** The compression level is fixed, so that the digest of the image depends only on its content. */
async function packLayer(entries: readonly LayerEntry[], time: Date): Promise<{ blob: Blob; diffId: string }> {
  const tar = await renderTarOf(entries, time)
  const compressed = await promisify(gzip)(tar, { level: 6 })
  compressed[9] = 3 // always Unix as the system that made it (RFC 1952, OS)
  return {
    blob: toBlob(compressed, 'application/vnd.oci.image.layer.v1.tar+gzip'),
    diffId: `sha256:${hash('sha256', tar)}`,
  }
}

function listOwnFiles({ name, executable }: PackagedPart, { notices }: Packaging): LayerEntry[] {
  return [
    { name: `usr/bin/${name}`, type: 'file', mode: 0o755, content: readFileSync(executable) },
    toFile(`usr/share/doc/${name}/copyright`, notices),
  ]
}

/** A part of an image by its digest, and its description for references. */
interface Blob {
  readonly digest: string
  readonly content: Buffer
  readonly descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number }
}

function toImageConfig(
  part: PackagedPart,
  packaging: Packaging,
  { architecture, diffIds }: { architecture: string; diffIds: readonly string[] },
) {
  const created = packaging.time.toISOString()
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${imageUser}:${imageUser}`,
      ExposedPorts: { [`${verifier}/tcp`]: {}, [`${verifierAdmin}/tcp`]: {} },
      Env: ['PATH=/usr/bin'],
      Entrypoint: [`/usr/bin/${part.name}`],
      Cmd: ['gateway', 'verifier', '--policy', `${machineDirectories.linux}/policy.json`, ...addresses],
      WorkingDir: '/',
      StopSignal: 'SIGTERM',
      Labels: createLabels(part, packaging),
    },
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: ['libraries of Debian 12', `${part.name} ${packaging.version}`].map((comment) => ({ created, comment })),
  }
}

function toJsonBlob(value: object, mediaType: string): Blob {
  return toBlob(Buffer.from(JSON.stringify(value)), mediaType)
}

function toBlob(content: Buffer, mediaType: string): Blob {
  const digest = hash('sha256', content)
  return { digest, content, descriptor: { mediaType, digest: `sha256:${digest}`, size: content.length } }
}

function renderTarOf(entries: readonly LayerEntry[], mtime: Date): Promise<Buffer> {
  const tar = pack()
  const whole = buffer(tar)
  for (const { content = '', ...header } of entries) tar.entry({ ...header, mtime, uid: 0, gid: 0 }, content)
  tar.finalize()
  return whole
}

function toFile(name: string, content: string | Buffer): LayerEntry {
  return { name, type: 'file', mode: 0o644, content }
}
