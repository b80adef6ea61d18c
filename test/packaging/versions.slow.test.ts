import { link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { buildSeparate } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { version } from '../../src/version.ts'
import { documentWith } from '../cli/run-gatepass.ts'
import { startStrictGateway } from '../client/session/test-gateway.ts'
import { copyTree } from '../executables/made-up-tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const helper = 'aws-bedrock-token'

describe('gatepass doctor, of an installed suite,', () => {
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

  test('finds all names on the version of the command', async () => {
    const directory = await install(suite.helpers)
    const { outcome, lines } = await examine(directory)
    // The links are names of one file, which is asked once.
    expect({ outcome, lines: lines.length }).toEqual({ outcome: 'good', lines: 2 })
    for (const line of lines.slice(1)) expect(line).toContain(` in ${directory} is ${version} (commit `)
    const named = lines.find((line: string) => line.includes(', and so are its other names: '))
    for (const link of suite.links) expect(named).toContain(basename(link))
  })

  test('finds a hard link that an upgrade left behind, and its hint fixes it', async () => {
    const directory = await install(former)
    const found = await examine(directory)
    expect(found).toMatchObject({
      outcome: 'bad',
      lines: expect.arrayContaining([expect.stringContaining(`${helper} in ${directory} is 0.0.9 (commit `)]),
      hint: expect.stringMatching(/: ln -f '.*' '.*'$/),
    })
    const command = found.hint.replace(/^.*?: /, '')
    expect(await runExecutable('/bin/sh', { argv: ['-c', command], env: { PATH: dirname('/bin/sh') } })).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    expect(await examine(directory)).toMatchObject({ outcome: 'good' })
  })
})
