import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type OpenGuest, openGuest } from '../../pkg-scripts/smoke/guests/open-guest.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { dependsOf, writeDebian } from './debian-machine.ts'
import { startPublisher, writeRpm } from './publisher.ts'

/** Where the repository and the tests' own files lie on the guest. */
const place = '/tmp/repository'

/** Runs a command of Debian 11; gives its status and everything that it says. */
async function runOn(guest: OpenGuest, ...command: readonly string[]) {
  const output = join(guest.root, place, 'output')
  const script = `exec >${place}/output 2>&1; exec "$@"`
  const status = guest.run(['/bin/sh', '-c', script, 'sh', ...command], {}, 'ignore')
  return { status, output: await readFile(output, 'utf8') }
}

/** Prepares the work of packages' scripts, and the package manager's state, in which the packages that ours depends on are installed. */
async function prepareState(guest: OpenGuest, needed: readonly string[]): Promise<void> {
  await rm(join(guest.root, 'etc/apt/sources.list.d'), { recursive: true, force: true })
  for (const part of ['dpkg/info', 'dpkg/updates', 'dpkg/triggers', 'apt/lists/partial'])
    await mkdir(join(guest.root, 'var/lib', part), { recursive: true })
  for (const part of ['var/cache/apt/archives/partial', 'etc/apt/apt.conf.d', 'etc/apt/sources.list.d', 'var/log/apt'])
    await mkdir(join(guest.root, part), { recursive: true })
  await rm(join(guest.root, 'usr/bin/awk'), { force: true })
  await symlink('mawk', join(guest.root, 'usr/bin/awk'))
  const installed = needed.map(
    (name) =>
      `Package: ${name}\nStatus: install ok installed\nMaintainer: a test\nArchitecture: amd64\nVersion: 99\nDescription: made up\n`,
  )
  await writeFile(join(guest.root, 'var/lib/dpkg/status'), installed.join('\n'))
  for (const name of needed) await writeFile(join(guest.root, 'var/lib/dpkg/info', `${name}.list`), '')
  // Users and groups are mapped one to one only for root.
  await writeFile(join(guest.root, 'etc/apt/apt.conf.d/sandbox'), 'APT::Sandbox::User "root";\n')
}

test('apt of Debian 11 reads no source at all with the file for newer systems, and installs with the one for old ones', async () => {
  const guest = openGuest('debian-11', join(root, 'dist', 'test', 'guests'))
  await rm(join(guest.root, place), { recursive: true, force: true })
  await mkdir(join(guest.root, place), { recursive: true })
  const publisher = await startPublisher(`file://${place}/served`)
  const debian = await writeDebian('1.0.0')
  await publisher.publish(debian, await writeRpm('1.0.0'))
  await publisher.endAgent()
  const served = join(guest.root, place, 'served')
  await cp(publisher.output, served, { recursive: true })
  await prepareState(guest, await dependsOf(debian))

  const sources = join(guest.root, 'etc/apt/sources.list.d')
  await cp(join(served, 'apt', 'gatepass.sources'), join(sources, 'gatepass.sources'))
  expect(await runOn(guest, 'apt-get', 'update')).toEqual({
    status: 100,
    output: `E: Invalid value set for option Signed-By regarding source file://${place}/served/apt/ stable (not a fingerprint)\nE: The list of sources could not be read.\n`,
  })
  await rm(join(sources, 'gatepass.sources'))

  await cp(join(served, 'apt', 'gatepass.list'), join(sources, 'gatepass.list'))
  await mkdir(join(guest.root, 'usr/share/keyrings'), { recursive: true })
  await cp(join(served, 'gatepass.asc'), join(guest.root, 'usr/share/keyrings/gatepass.asc'))
  const updated = await runOn(guest, 'apt-get', 'update')
  expect(updated, updated.output).toMatchObject({ status: 0, output: expect.not.stringMatching(/^[WE]:/m) })
  const installed = await runOn(guest, 'apt-get', '--yes', 'install', suiteName)
  expect(installed, installed.output).toMatchObject({ status: 0 })
  expect(await runOn(guest, '/opt/gatepass/api-key')).toEqual({ status: 0, output: 'x 1.0.0 x\n' })

  const index = join(served, 'apt', 'dists', 'stable', 'InRelease')
  await writeFile(index, (await readFile(index, 'utf8')).replace('Suite: stable', 'Suite: stabler'))
  const forged = await runOn(guest, 'apt-get', 'update', '-o', 'APT::Update::Error-Mode=any')
  expect(forged).toMatchObject({ status: 100, output: expect.stringContaining('BADSIG') })
})
