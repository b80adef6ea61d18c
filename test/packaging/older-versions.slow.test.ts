import { spawn } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renderInstaller } from '../../pkg-scripts/release/render-installer.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const name = 'gatepass-helpers'
const succeeded = { status: 0, stdout: '', stderr: '' }

/** Prepares a prefix, into which versions of a program that says its version are installed from their unpacked archives. */
async function startMachine() {
  const directory = await temporaryDirectory()
  const prefix = join(directory, 'opt')
  const run = (script: string) =>
    runExecutable('/bin/sh', {
      argv: [script, '--prefix', prefix],
      env: { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(directory, 'configuration') },
    })
  const unpack = async (version: string, links: readonly string[], program?: string) => {
    const folder = join(directory, `unpacked ${version}`)
    await mkdir(folder)
    await writeFile(join(folder, 'install.sh'), renderInstaller('linux', { name, version, links }).text)
    await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), '')
    if (program === undefined) await writeFile(join(folder, name), `#!/bin/sh\necho ${version}\n`)
    else await copyFile(program, join(folder, name))
    await chmod(join(folder, name), 0o755)
    return folder
  }
  return {
    prefix,
    install: async (version: string, links: readonly string[] = ['first'], program?: string) =>
      run(join(await unpack(version, links, program), 'install.sh')),
    goBack: (version: string) => run(join(prefix, 'versions', `${name}-${version}`, 'install.sh')),
    versions: async () =>
      (await readdir(join(prefix, 'versions'))).map((folder) => folder.slice(name.length + 1)).sort(),
    /** Gives the answer of a program by its name in the prefix. */
    ask: async (link: string) => (await runExecutable(join(prefix, link))).stdout.trim(),
  }
}

test('an upgrade keeps the version before, and removes those before that', async () => {
  const { install, versions, ask } = await startMachine()
  for (const version of ['1.0.0', '2.0.0']) expect(await install(version)).toEqual(succeeded)
  expect(await versions()).toEqual(['1.0.0', '2.0.0'])
  expect(await install('3.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['2.0.0', '3.0.0'])
  expect(await Promise.all([name, 'first'].map(ask))).toEqual(['3.0.0', '3.0.0'])
})

test('a way back keeps the version that was left, whatever its number', async () => {
  const { install, goBack, versions, ask } = await startMachine()
  for (const version of ['1.0.0', '2.0.0', '10.0.0']) expect(await install(version)).toEqual(succeeded)
  expect(await goBack('2.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['10.0.0', '2.0.0'])
  expect(await ask('first')).toBe('2.0.0')
  expect(await install('11.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['11.0.0', '2.0.0'])
})

test('a second run of one version keeps the version before it', async () => {
  const { prefix, install, goBack, versions } = await startMachine()
  for (const version of ['1.0.0', '2.0.0']) expect(await install(version)).toEqual(succeeded)
  expect(await goBack('2.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['1.0.0', '2.0.0'])
  const before = join(prefix, 'versions', `${name}-1.0.0`)
  expect(await readFile(join(prefix, 'versions', `${name}-2.0.0`, 'previous'), 'utf8')).toBe(`${before}\n`)
})

test('where no name runs a version, nothing is removed', async () => {
  const { prefix, install, versions } = await startMachine()
  for (const version of ['1.0.0', '2.0.0']) expect(await install(version)).toEqual(succeeded)
  await rm(join(prefix, name)) // a hard link, which writing would change in the version too
  await writeFile(join(prefix, name), 'something else')
  expect(await install('3.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['1.0.0', '2.0.0', '3.0.0'])
})

test('a version that a name still runs stays, because newer ones do not have that name', async () => {
  const { install, versions, ask } = await startMachine()
  expect(await install('1.0.0', ['first', 'former'])).toEqual(succeeded)
  for (const version of ['2.0.0', '3.0.0']) expect(await install(version)).toEqual(succeeded)
  expect(await versions()).toEqual(['1.0.0', '2.0.0', '3.0.0'])
  expect(await Promise.all(['first', 'former'].map(ask))).toEqual(['3.0.0', '1.0.0'])
})

test('a version whose program runs stays until the next upgrade, under whatever name it runs', async () => {
  const { prefix, install, versions } = await startMachine()
  // A program that runs on for as long as it is told, and ends at once with --version.
  expect(await install('1.0.0', ['first'], '/bin/sleep')).toEqual(succeeded)
  const child = spawn(join(prefix, 'first'), ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  for (const version of ['2.0.0', '3.0.0']) expect(await install(version)).toEqual(succeeded)
  expect(await versions()).toEqual(['1.0.0', '2.0.0', '3.0.0'])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
  expect(await install('4.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['3.0.0', '4.0.0'])
})

test('a version that is being laid down, without its list of names, stays', async () => {
  const { prefix, install, versions } = await startMachine()
  for (const version of ['1.0.0', '2.0.0']) expect(await install(version)).toEqual(succeeded)
  await mkdir(join(prefix, 'versions', `${name}-9.0.0`))
  expect(await install('3.0.0')).toEqual(succeeded)
  expect(await versions()).toEqual(['2.0.0', '3.0.0', '9.0.0'])
  expect((await stat(join(prefix, 'versions', `${name}-9.0.0`))).isDirectory()).toBe(true)
})
