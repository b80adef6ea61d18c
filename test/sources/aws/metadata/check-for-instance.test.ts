import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkForInstance } from '../../../../src/sources/aws/metadata/check-for-instance.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

/** A Windows machine on which these folders are. */
async function checkWindows(folders: readonly string[], env: Record<string, string> = {}) {
  const disk = await temporaryDirectory()
  for (const folder of folders) await mkdir(join(disk, folder), { recursive: true })
  const places = { ProgramFiles: join(disk, 'Program Files'), ProgramData: join(disk, 'ProgramData') }
  return checkForInstance({ ...places, ...env }, 'win32')
}

test.each<[what: string, folders: string[], env: Record<string, string>, expected: boolean]>([
  ['a Windows desktop', [], {}, false],
  [
    'a Windows desktop with the AWS command line and the agent for other machines',
    ['Program Files/Amazon/AWSCLIV2', 'Program Files/Amazon/SSM'],
    {},
    false,
  ],
  ['an instance with EC2Launch v2', ['Program Files/Amazon/EC2Launch'], {}, true],
  ['an instance with EC2Launch', ['ProgramData/Amazon/EC2-Windows/Launch'], {}, true],
  ['an instance with EC2Config', ['Program Files/Amazon/Ec2ConfigService'], {}, true],
  ['an endpoint that is set', [], { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' }, true],
  ['metadata that is switched off', ['Program Files/Amazon/EC2Launch'], { AWS_EC2_METADATA_DISABLED: 'TRUE' }, false],
])('%s', async (_, folders, env, expected) => {
  expect(await checkWindows(folders, env)).toBe(expected)
})

test('a Mac is no instance', async () => {
  expect(await checkForInstance({}, 'darwin')).toBe(false)
})
