import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'
import { describeRenewal } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import { fetchContainerCredentials } from '../../../../src/sources/aws/credentials/container-credentials.ts'
import type { AwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { listenOnLoopback } from '../../../setup/loopback.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const hint = 'check the role of the task or pod'
const keys = { AccessKeyId: 'ASIA1', SecretAccessKey: 's', Token: 't', Expiration: '2026-01-15T12:00:00Z' }
const good = [200, JSON.stringify(keys)] as const
const found = { accessKeyId: 'ASIA1', expiration: new Date('2026-01-15T12:00:00Z'), account: undefined }

/** Answers in order, after the token's file is renewed; what was asked, and how the fetch ended. */
async function ask(answers: readonly (readonly [status: number, body: string])[]) {
  const path = join(await temporaryDirectory(), 'token')
  await writeFile(path, 'first')
  const asked: string[] = []
  const rest = [...answers]
  const server = createServer(async ({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.authorization}`)
    await writeFile(path, 'second')
    const [status, body] = rest.shift() ?? [501, '']
    response.writeHead(status).end(body)
  })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const deadline = new Deadline({ seconds: 58, hint: '' }, { elapsedMs: () => 0 })
  const call = { context: 'interactive', program: 'tool', deadline, network, warn: () => {} } as const
  const env = { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'variable' }
  const source = { kind: 'container', endpoint: `http://user:canary@127.0.0.1:${port}/keys?task=1` } as const
  const files = {} as AwsFiles // a hint about a container names none
  const plan = { describeRenewal: () => describeRenewal(source, files) }
  const ended = await fetchContainerCredentials(source, { host: { env }, call, plan }).then(
    ({ accessKeyId, expiration, account }) => ({ accessKeyId, expiration, account }),
    ({ kind, message, hint: advice }) => ({
      kind,
      message: message.replace(`127.0.0.1:${port}`, 'HOST'),
      hint: advice,
    }),
  )
  return { asked, ended }
}

const first = 'GET /keys?task=1 first'

test('the keys are asked for with the token of the file, and without the user of the address', async () => {
  expect(await ask([good])).toEqual({ asked: [first], ended: found })
})

test('a busy endpoint is asked once more, with the token that is in the file then', async () => {
  expect(await ask([[503, ''], good])).toEqual({ asked: [first, 'GET /keys?task=1 second'], ended: found })
})

test.each([
  [403, '', 'refused', 'answered with HTTP 403'],
  [302, '', 'unavailable', 'answered with HTTP 302'],
  [200, 'canary', 'unavailable', 'gave no credentials'],
  [200, JSON.stringify({ ...keys, Token: '' }), 'unavailable', 'gave no credentials'],
  [200, JSON.stringify({ ...keys, Expiration: 'soon' }), 'unavailable', 'gave no credentials'],
])('an answer %i %j is final', async (status, body, kind, message) => {
  expect(await ask([[status, body], good])).toEqual({
    asked: [first],
    ended: { kind, message: `the container credentials endpoint http://HOST/keys ${message}`, hint },
  })
})
