import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Host } from '../../../src/runtime/host.ts'
import type { Environment } from '../../../src/runtime/run-process.ts'
import { prepareAzure } from '../../../src/sources/identity/prepare-cloud.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const pod = { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'http://127.0.0.1:1' }
const service = { IDENTITY_ENDPOINT: 'http://127.0.0.1:2/token', IDENTITY_HEADER: 'x' }

test.each<[what: string, env: Environment, name: string]>([
  [
    'the endpoint that is set, before the authority of a pod',
    { ...service, ...pod },
    "the identity token from Azure's identity endpoint at 127.0.0.1:2",
  ],
  ['the authority of a pod', pod, "the identity token from Azure's metadata service at 127.0.0.1:1"],
  ['the address of every machine', {}, "the identity token from Azure's metadata service at 169.254.169.254"],
])('without a file, the token of a workload on Azure is from %s', async (_, env, name) => {
  const { token, detail } = await find(env)
  expect(`${token}${detail}`).toBe(name)
})

test('the file of a pod takes precedence over every endpoint', async () => {
  const path = join(await temporaryDirectory(), 'token')
  await writeFile(path, 'e30.e30.c2ln')
  const { token, detail } = await find({ ...service, ...pod, AZURE_FEDERATED_TOKEN_FILE: path })
  expect({ token, detail }).toEqual({ token: `the identity token in ${path}`, detail: undefined })
})

async function find(env: Environment) {
  const host = { env, home: '/home/dev' } as Host // the rest is not read before the token is asked for
  return prepareAzure(host, { audience: 'api://gateway' } as never, {} as never)
}
