import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { writeProgram } from './credential-program.ts'
import { failure, program, startWorkbench } from './workbench.ts'

const region = 'eu-central-1'
const self = `"${process.execPath}" "${toBundlePath(program)}"`
const cycle = failure(
  3,
  'the credential_process of profile "dev" is a credential helper, which would ask that profile again',
  'give profile "dev" a credential_process that prints AWS credentials, or another kind of credentials',
)

test('a profile whose credential_process is this very helper is named as a cycle', async () => {
  await using bench = await startWorkbench({ config: { 'profile dev': { credential_process: self, region } } })
  expect(await bench.run({ env: { AWS_PROFILE: 'dev' } })).toEqual(cycle)
})

test('a script around the helper does not hide the cycle', async () => {
  await using bench = await startWorkbench()
  const path = await writeProgram(join(bench.home, 'print-keys'), `${self} --profile dev || exit 9`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  expect(await bench.run({ argv: ['--profile', 'dev'] })).toEqual(cycle)
})

test('a cycle at the end of a chain of roles is named too', async () => {
  await using bench = await startWorkbench({
    config: {
      'profile build': { role_arn: 'arn:aws:iam::444455556666:role/build', source_profile: 'dev', region },
      'profile dev': { credential_process: self },
    },
  })
  expect(await bench.run({ argv: ['--profile', 'build'] })).toEqual(cycle)
})
