import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { bundle, writeProgram } from '../../pkg-scripts/bundle/bundle.ts'
import {
  createHelperProgram,
  createSuiteProgram,
  type BundledProgram as Source,
} from '../../pkg-scripts/bundle/programs.ts'
import { renderFile } from '../../pkg-scripts/bundle/render-file.ts'
import { buildExecutable } from '../../pkg-scripts/executable/build-executable.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { comeBack, type Program, startDesk } from '../sources/oauth/desk.ts'
import { copyTree } from './made-up-tree.ts'

/** A suite with the made-up helper, as one executable, and the helper's bundle. */
let suite: string
let linked: string
let bundled: string
/** The suite under the name of another helper. */
let beside: string

beforeAll(async () => {
  const tree = await copyTree('sign-in', {})
  const declaration = await readFile(join(root, 'test/sources/oauth/made-up-declaration.ts'), 'utf8')
  const text = declaration
    .replaceAll("'../../../src/", "'../src/")
    .replace('export const madeUpHelper =', 'export default')
  await writeFile(join(tree, 'helpers', 'made-up.ts'), text)
  const pack = async (source: Source) => (await bundle(source, { tree })).packed
  const path = join(tree, 'dist', 'suite')
  const parts = { path, summary: 'made up', isCompiledAhead: false }
  suite = await buildExecutable(hostTarget, await pack(createSuiteProgram(tree)), parts)
  linked = join(tree, 'dist', 'made-up')
  await rm(linked, { force: true })
  await link(suite, linked)
  beside = join(tree, 'dist', 'command-token')
  await rm(beside, { force: true })
  await link(suite, beside)
  bundled = join(tree, 'dist', 'made-up.cjs')
  writeProgram(bundled, await renderFile(await pack(createHelperProgram('made-up')), false))
})

test.each<[form: string, find: () => Program]>([
  ['a link of the suite', () => ({ file: linked, args: [] })],
  ['the suite under a name that its caller gives it', () => ({ file: suite, args: [], argv0: '/usr/bin/made-up' })],
  ['the suite and the name of the helper', () => ({ file: suite, args: ['made-up'] })],
  ['a bundle under Node', () => ({ file: process.execPath, args: [bundled] })],
])('started as %s, a helper signs in by a process that is the same helper', async (_, find) => {
  const desk = await startDesk({}, find())
  const run = desk.start(['--number', '7'])
  await comeBack(await desk.untilTab())
  const { status, stdout } = await run.outcome
  expect({ status, stdout }).toEqual({ status: 0, stdout: '{"token":"token-of-one"}\n' })
  expect(desk.readNote()?.pid).not.toBe(run.pid)
})

test.each<[form: string, find: () => Program]>([
  ['a link of the suite', () => ({ file: beside, args: [] })],
  ['the suite and the name of the helper', () => ({ file: suite, args: ['command-token'] })],
])('started as %s, a helper whose second needs a person starts a process that is the second', async (_, find) => {
  const desk = await startDesk({}, find())
  const first = ['--command', '/bin/echo', '--command', 'first', '--life', '7200', '--header', 'X-S: {second.token}']
  const run = desk.start([...first, '--second-helper', 'made-up', '--second-option', 'number=7'])
  await comeBack(await desk.untilTab())
  const { status, stdout } = await run.outcome
  const printed = '{"token":"first","headers":{"X-S":"token-of-one"}}\n'
  expect({ status, stdout, tabs: (await desk.readTabs()).length }).toEqual({ status: 0, stdout: printed, tabs: 1 })
  expect(desk.readNote()?.pid).not.toBe(run.pid)
})
