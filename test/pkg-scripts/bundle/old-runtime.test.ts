import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCommit } from '../../../pkg-scripts/commit.ts'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { digestNames } from '../../../src/runtime/digest.ts'
import { vendor } from '../../../src/vendor.ts'
import { version as own } from '../../../src/version.ts'
import { runExecutable } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Runs a bundle on this Node, which says that it is another version. */
async function runOn(version: string, name: string) {
  const pretence = join(await temporaryDirectory(), 'version.cjs')
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`
  await writeFile(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return runExecutable(process.execPath, { argv: ['--require', pretence, toBundlePath(name), '--version'] })
}

test.each(['20.20.2', '22.12.0'])('on Node %s a bundle says which runtime it needs', async (version) => {
  expect(await runOn(version, 'aws-bedrock-token')).toEqual({
    status: 3,
    stdout: '',
    stderr: `aws-bedrock-token: it needs Node 22.13 or newer, and this is ${version}
aws-bedrock-token: hint: run it with a newer Node, or install the executable, which has its own
`,
  })
})

test.each(['22.13.0', '100.0.0'])('on Node %s a bundle runs', async (version) => {
  expect(await runOn(version, 'gatepass')).toEqual({
    status: 0,
    stdout: `gatepass ${own} (commit ${readCommit()}, runtime ${version}, for ${vendor.name}, names ${digestNames(vendor)})\n`,
    stderr: '',
  })
})
