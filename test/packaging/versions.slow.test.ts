import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { buildSeparate } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { documentWith } from '../cli/run-gatepass.ts'
import { startStrictGateway } from '../client/session/test-gateway.ts'
import { copyTree } from '../executables/made-up-tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const helper = 'aws-bedrock-token'

describe('gatepass doctor of an installed suite', () => {
  const suite = inject('suite')
  /** The helper's executable of an older version. */
  let former: string

  beforeAll(async () => {
    const tree = await copyTree('former', {})
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    await writeFile(join(tree, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.9' }))
    former = await buildSeparate(hostTarget, helper, { tree }, join(tree, 'dist'))
  })

  /** Links the suite into a directory of the same disk, with another file under the helper's name. */
  const install = async (underHelper: string): Promise<string> => {
    const directory = await mkdtemp(join(root, 'dist', 'test', 'installed-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    for (const file of [suite.helpers, suite.cli]) await link(file, join(directory, basename(file)))
    for (const file of suite.links.filter((path) => basename(path) !== helper))
      await link(file, join(directory, basename(file)))
    await link(underHelper, join(directory, helper))
    return directory
  }

  const examine = async (directory: string) => {
    const { url } = await startStrictGateway('x')
    const document = JSON.parse(documentWith({ command: join(directory, helper) }))
    document.inference.baseUrl = url
    const home = await temporaryDirectory()
    const path = join(home, 'document.json')
    await writeFile(path, JSON.stringify(document))
    const { stdout } = await runExecutable(join(directory, 'gatepass'), {
      argv: ['doctor', path, '--yes', '--json'],
      env: { HOME: home },
    })
    return JSON.parse(stdout).parts.find(({ part }: { part: string }) => part === 'installation')
  }

  /** Renders the build that a program states, in the words of doctor. */
  const renderBuild = async (path: string) => {
    const { stdout } = await runExecutable(path, { argv: ['--version'] })
    return stdout
      .trim()
      .replace(/^\S+ /, '')
      .replace(/, runtime [^,]+,/, ',')
  }

  /** Renders the report of an installation where these names belong to the file with all helpers. */
  const renderLines = async (directory: string, names: readonly string[]) => {
    const build = await renderBuild(suite.helpers)
    return [
      `this command is ${build}`,
      `${basename(suite.helpers)} in ${directory} is ${build}, and so are its other names: ${names.join(', ')}`,
    ]
  }
  const names = suite.links.map((path) => basename(path))

  test('finds all names on the version of the command', async () => {
    const directory = await install(suite.helpers)
    const lines = await renderLines(directory, names)
    expect(await examine(directory)).toEqual({ part: 'installation', outcome: 'good', lines })
  })

  test('finds a hard link that an upgrade left behind', async () => {
    const directory = await install(former)
    const others = await renderLines(
      directory,
      names.filter((name) => name !== helper),
    )
    const whole = basename(suite.helpers)
    expect(await examine(directory)).toEqual({
      part: 'installation',
      outcome: 'bad',
      lines: [...others, `${helper} in ${directory} is ${await renderBuild(former)}`],
      cause: `${helper} in ${directory} was left behind by an upgrade, and is another build than ${whole} beside it`,
      hint: `install again, or create the name again: ln -f '${join(directory, whole)}' '${join(directory, helper)}'`,
    })
  })

  test('has a hint that replaces the hard link', async () => {
    const directory = await install(former)
    const { hint } = await examine(directory)
    const command = hint.replace(/^.*?: /, '')
    const outcome = await runExecutable('/bin/sh', { argv: ['-c', command], env: { PATH: dirname('/bin/sh') } })
    expect({ outcome, after: await examine(directory) }).toEqual({
      outcome: { status: 0, stdout: '', stderr: '' },
      after: { part: 'installation', outcome: 'good', lines: await renderLines(directory, names) },
    })
  })
})
