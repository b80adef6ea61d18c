import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { packImage } from '../../pkg-scripts/release/image/pack-image.ts'
import { makePackaging, run } from './made-up-package.ts'

/** Without spaces, which references to images do not take. */
let place: string
beforeAll(async () => {
  place = await mkdtemp('/tmp/gatepass-image-')
})
afterAll(() => rm(place, { recursive: true }))

/** Writes an image with this executable; gives the path of its archive. */
async function writeImage(target: string, executable: string): Promise<string> {
  const part = {
    name: 'gatepass',
    summary: 'the command',
    description: [],
    names: [],
    shared: [],
    pages: [],
    beside: [],
    executable,
  }
  const { content } = await packImage(part, makePackaging({ version: '1.0.0', target, time: new Date(1.7e12) }))
  const path = join(place, `${target}.tar`)
  await writeFile(path, content)
  return path
}

test.each([
  ['linux-x64', 'amd64', 'x86_64-linux-gnu', 'ld-linux-x86-64.so.2', ['lib64/ld-linux-x86-64.so.2']],
  ['linux-arm64', 'arm64', 'aarch64-linux-gnu', 'ld-linux-aarch64.so.1', ['lib/ld-linux-aarch64.so.1']],
])(
  'the image for %s has only the libraries of the command and licences',
  async (target, architecture, folder, loader, links) => {
    const script = join(place, 'script')
    await writeFile(script, '#!/bin/sh\n')
    const archive = await writeImage(target, script)
    const layout = join(place, architecture)
    await run('skopeo', ['copy', '--quiet', `oci-archive:${archive}`, `dir:${layout}`])
    const readJson = async (name: string) => JSON.parse(await readFile(join(layout, name), 'utf8'))
    const manifest = await readJson('manifest.json')
    const toFile = ({ digest }: { digest: string }) => digest.replace('sha256:', '')
    const layers = manifest.layers.map(toFile).map((file: string) => run('tar', ['-tf', join(layout, file)]))
    const names = (await Promise.all(layers)).flatMap(({ stdout }: { stdout: string }) => stdout.trim().split('\n'))
    const libraries = ['libc.so.6', 'libdl.so.2', 'libgcc_s.so.1', 'libm.so.6', 'libnss_dns.so.2', 'libnss_files.so.2']
    const added = ['libatomic.so.1', 'libatomic.so.1.2.0', 'libstdc++.so.6', 'libstdc++.so.6.0.30']
    const packages = ['base-files', 'gcc-12-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6']
    expect(names.filter((name) => !name.startsWith('usr/share/common-licenses/')).sort()).toEqual(
      [
        ...[
          'etc/gatepass',
          'etc/group',
          'etc/nsswitch.conf',
          'etc/os-release',
          'etc/passwd',
          'tmp',
          'usr/bin/gatepass',
        ],
        ...[...libraries, 'libpthread.so.0', 'libresolv.so.2', loader].map((name) => `lib/${folder}/${name}`),
        ...links,
        ...added.map((name) => `usr/lib/${folder}/${name}`),
        ...['base-files', 'gatepass', 'gcc-12-base', 'libc6'].map((name) => `usr/share/doc/${name}/copyright`),
        ...packages.map((name) => `var/lib/dpkg/status.d/${name}`),
        'usr/lib/os-release',
      ].sort(),
    )
    const { architecture: said, config } = await readJson(toFile(manifest.config))
    expect([said, config.User, config.Entrypoint]).toEqual([architecture, '65532:65532', ['/usr/bin/gatepass']])
  },
)

/** An issuer that nobody has to ask for its key. */
const issuer = {
  issuer: 'https://idp.example',
  audiences: ['models'],
  keys: { inline: { keys: [createPublicJwk()] } },
}

function createPublicJwk(): object {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }
}

test('podman runs the image without root, a capability, a shell or anything to write', async () => {
  const archive = await writeImage(`linux-${process.arch}`, inject('suite').cli)
  const own = [`--root=${place}/images`, `--runroot=${place}/run`, '--storage-driver=vfs', '--cgroup-manager=cgroupfs']
  const podman = (...args: string[]) => run('podman', [...own, '--runtime=runc', ...args])
  await podman('pull', '--quiet', `oci-archive:${archive}`)
  // Limits that need no right to raise them.
  const limits = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=4096:4096']
  const closed = ['--network=host', '--read-only', '--read-only-tmpfs=false', '--cap-drop=all', ...limits]
  const image = 'localhost/gatepass:1.0.0'
  const { stdout } = await podman('run', '--rm', ...closed, image, '--version')
  expect(stdout.split(' ')[0]).toBe('gatepass')
  await expect(podman('run', '--rm', ...closed, '--entrypoint=/bin/sh', image)).rejects.toThrow('/bin/sh')

  const policy = join(place, 'policy.json')
  await writeFile(policy, JSON.stringify({ issuers: [issuer], rules: [] }), { mode: 0o644 })
  const volume = `--volume=${policy}:/etc/gatepass/policy.json:ro`
  // The command of the image itself, at its own addresses.
  await podman('run', '--detach', '--name=verifier', volume, ...closed, image)
  try {
    const askHealth = () =>
      podman('exec', 'verifier', '/usr/bin/gatepass', 'gateway', 'health').then(
        ({ stdout }) => stdout,
        ({ stderr }) => stderr,
      )
    await expect.poll(askHealth).toBe('ready\n')
    const { status } = await fetch('http://127.0.0.1:8790/')
    const { stdout: user } = await podman('top', 'verifier', 'huser')
    expect([status, user.trim().split('\n').at(-1)]).toEqual([401, '65532'])
  } finally {
    await podman('rm', '--force', '--time=5', 'verifier')
  }
})
