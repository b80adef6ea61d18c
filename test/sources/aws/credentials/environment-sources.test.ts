import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import {
  findContainerEndpoint,
  mayBeInstance,
  readAuthorization,
} from '../../../../src/sources/aws/credentials/environment-sources.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const full = (AWS_CONTAINER_CREDENTIALS_FULL_URI: string) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI })
const relative = (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: string) => ({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI })

test.each<[env: Record<string, string>, endpoint: string | undefined]>([
  [{}, undefined],
  [relative('/v2/keys'), 'http://169.254.170.2/v2/keys'],
  [{ ...relative('/v2'), ...full('https://x.example') }, 'http://169.254.170.2/v2'],
  [full('http://169.254.170.23/v1/credentials'), 'http://169.254.170.23/v1/credentials'],
  [full('http://[fd00:ec2::23]/v1/credentials'), 'http://[fd00:ec2::23]/v1/credentials'],
  [full('http://localhost:8080/keys'), 'http://localhost:8080/keys'],
  [full('https://keys.example/v1'), 'https://keys.example/v1'],
])('%j leads to %s', (env, endpoint) => {
  expect(findContainerEndpoint(env)).toBe(endpoint)
})

const hint = 'leave the variable as the container sets it, or unset it'
const unusable = (message: string) => new HelperError('not-configured', message, hint)

test.each([
  [relative('v2'), 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash'],
  [full('keys'), 'AWS_CONTAINER_CREDENTIALS_FULL_URI is not a web address'],
  [full('file:///keys'), 'AWS_CONTAINER_CREDENTIALS_FULL_URI is not a web address'],
  [full('http://keys.example/v1'), 'AWS_CONTAINER_CREDENTIALS_FULL_URI leads to keys.example over plain http'],
  [full('http://169.254.170.99/v1'), 'AWS_CONTAINER_CREDENTIALS_FULL_URI leads to 169.254.170.99 over plain http'],
])('%j is refused', (env, message) => {
  expect(() => findContainerEndpoint(env)).toThrow(unusable(message))
})

test('a file of a token that does not exist is named', async () => {
  const path = join(await temporaryDirectory(), 'token')
  await expect(readAuthorization({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path })).rejects.toEqual(
    unusable(`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names ${path}, which does not exist`),
  )
})

test('a token of a file that no request can carry is refused without being repeated', async () => {
  const path = join(await temporaryDirectory(), 'token')
  await writeFile(path, 'canary\n')
  await expect(readAuthorization({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path })).rejects.toEqual(
    unusable(
      `${path}, which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names, holds a line break, which no request can carry`,
    ),
  )
})

test('a token of a variable that no request can carry is refused', async () => {
  await expect(readAuthorization({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a\nb' })).rejects.toEqual(
    unusable('AWS_CONTAINER_AUTHORIZATION_TOKEN holds a line break, which no request can carry'),
  )
})

test('a token may be missing, and is read from its variable', async () => {
  const token = await readAuthorization({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'canary' })
  expect({ token, missing: await readAuthorization({}) }).toEqual({ token: 'canary', missing: undefined })
})

/** Returns a Windows machine on which these folders are. */
async function checkWindows(folders: readonly string[], env: Record<string, string> = {}) {
  const disk = await temporaryDirectory()
  for (const folder of folders) await mkdir(join(disk, folder), { recursive: true })
  const places = { ProgramFiles: join(disk, 'Program Files'), ProgramData: join(disk, 'ProgramData') }
  return mayBeInstance({ ...places, ...env }, 'win32')
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
])('looks for instance metadata on %s, or does not', async (_, folders, env, expected) => {
  expect(await checkWindows(folders, env)).toBe(expected)
})

test('a Mac is not an instance', async () => {
  expect(await mayBeInstance({}, 'darwin')).toBe(false)
})
