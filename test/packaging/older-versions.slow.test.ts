import { spawn } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renderInstaller } from '../../pkg-scripts/release/render-installer.ts'
import { prints, runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const name = 'gatepass-helpers'
/** Prepares a prefix, into which versions of a program that says its version are installed from their unpacked archives. */
async function startMachine() {
  const directory = await temporaryDirectory()
  const prefix = join(directory, 'opt')
  const run = async (script: string) => {
    const env = { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(directory, 'configuration') }
    expect(await runExecutable('/bin/sh', { argv: [script, '--prefix', prefix], env })).toEqual(prints(''))
  }
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
  const install = async (version: string, links: readonly string[] = ['first'], program?: string) =>
    run(join(await unpack(version, links, program), 'install.sh'))
  return {
    prefix,
    install,
    installEach: async (...versions: string[]) => {
      for (const version of versions) await install(version)
    },
    goBack: (version: string) => run(join(prefix, 'versions', `${name}-${version}`, 'install.sh')),
    versions: async () =>
      (await readdir(join(prefix, 'versions'))).map((folder) => folder.slice(name.length + 1)).sort(),
    /** Gives the answer of a program by its name in the prefix. */
    ask: async (link: string) => (await runExecutable(join(prefix, link))).stdout.trim(),
  }
}

test('an upgrade keeps the version before, and removes those before that', async () => {
  const { installEach, versions, ask } = await startMachine()
  await installEach('1.0.0', '2.0.0')
  const before = await versions()
  await installEach('3.0.0')
  expect({ before, after: await versions(), names: await Promise.all([name, 'first'].map(ask)) }).toEqual({
    before: ['1.0.0', '2.0.0'],
    after: ['2.0.0', '3.0.0'],
    names: ['3.0.0', '3.0.0'],
  })
})

test('a way back keeps the version that was left, whatever its number', async () => {
  const { installEach, goBack, versions, ask } = await startMachine()
  await installEach('1.0.0', '2.0.0', '10.0.0')
  await goBack('2.0.0')
  const back = { versions: await versions(), first: await ask('first') }
  await installEach('11.0.0')
  expect({ back, after: await versions() }).toEqual({
    back: { versions: ['10.0.0', '2.0.0'], first: '2.0.0' },
    after: ['11.0.0', '2.0.0'],
  })
})

test('a second run of one version keeps the version before it', async () => {
  const { prefix, installEach, goBack, versions } = await startMachine()
  await installEach('1.0.0', '2.0.0')
  await goBack('2.0.0')
  const previous = await readFile(join(prefix, 'versions', `${name}-2.0.0`, 'previous'), 'utf8')
  expect({ versions: await versions(), previous }).toEqual({
    versions: ['1.0.0', '2.0.0'],
    previous: `${join(prefix, 'versions', `${name}-1.0.0`)}\n`,
  })
})

test('where no name runs a version, nothing is removed', async () => {
  const { prefix, installEach, versions } = await startMachine()
  await installEach('1.0.0', '2.0.0')
  await rm(join(prefix, name)) // a hard link, which writing would change in the version too
  await writeFile(join(prefix, name), 'something else')
  await installEach('3.0.0')
  expect(await versions()).toEqual(['1.0.0', '2.0.0', '3.0.0'])
})

test('a version that a name still runs stays, because newer ones do not have that name', async () => {
  const { install, installEach, versions, ask } = await startMachine()
  await install('1.0.0', ['first', 'former'])
  await installEach('2.0.0', '3.0.0')
  expect({ versions: await versions(), names: await Promise.all(['first', 'former'].map(ask)) }).toEqual({
    versions: ['1.0.0', '2.0.0', '3.0.0'],
    names: ['3.0.0', '1.0.0'],
  })
})

test('a version whose program runs stays until the next upgrade, under whatever name it runs', async () => {
  const { prefix, install, installEach, versions } = await startMachine()
  // A program that runs on for as long as it is told, and ends at once with --version.
  await install('1.0.0', ['first'], '/bin/sleep')
  const child = spawn(join(prefix, 'first'), ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  await installEach('2.0.0', '3.0.0')
  const meanwhile = await versions()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
  await installEach('4.0.0')
  expect([meanwhile, await versions()]).toEqual([
    ['1.0.0', '2.0.0', '3.0.0'],
    ['3.0.0', '4.0.0'],
  ])
})

test('a version that is being laid down, without its list of names, stays', async () => {
  const { prefix, installEach, versions } = await startMachine()
  await installEach('1.0.0', '2.0.0')
  await mkdir(join(prefix, 'versions', `${name}-9.0.0`))
  await installEach('3.0.0')
  expect(await versions()).toEqual(['2.0.0', '3.0.0', '9.0.0'])
})
