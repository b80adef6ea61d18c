import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { scenarios } from './scenarios.ts'

const tool = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
/** A line of a shell. */
const client = `'${process.execPath}' '${join(import.meta.dirname, 'mcp-client.ts')}'`

/** The checks that the tool has made in one scenario. */
interface Check {
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO'
  readonly description: string
}

test('a client of the Model Context Protocol with the sign-in of this product passes every scenario that applies', async () => {
  const directory = await temporaryDirectory()
  const args = ['client', '--command', client, '--suite', 'all', '--timeout', '100000', '-o', directory]
  await execa(process.execPath, [tool, ...args], { reject: false }) // its status counts what does not apply as well
  const wrong = readWrong(join(directory, 'auth'))
  expect(Object.keys(wrong).toSorted()).toEqual(Object.keys(scenarios).toSorted())
  const applicable = Object.entries(scenarios).flatMap(([name, why]) => (why === 'run' ? [name] : []))
  expect(applicable.flatMap((name) => (wrong[name] ?? []).map((what) => `${name}: ${what}`))).toEqual([])
  // One that passes does apply, and the table is wrong.
  const passed = Object.keys(wrong).filter((name) => wrong[name]?.length === 0)
  expect(passed.toSorted()).toEqual(applicable.toSorted())
})

/** Reads the failures that the tool found, by scenario. */
function readWrong(directory: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    readdirSync(directory).map((folder) => {
      const name = folder.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
      const checks: Check[] = JSON.parse(readFileSync(join(directory, folder, 'checks.json'), 'utf8'))
      const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      return [`auth/${name}`, wrong.map(({ description }) => description)]
    }),
  )
}
