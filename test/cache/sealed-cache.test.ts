import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBundle } from '../setup/run-bundle.ts'
import { prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'

test('without a keychain a call mints, says why once, and removes the entry that is not sealed', async () => {
  const home = await temporaryDirectory()
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example', AWS_REGION: 'eu-central-1' }
  const env = { HOME: home, ...keys }
  await runBundle('aws-bedrock-token', { env })
  const cache = join(home, '.cache', 'gatepass')
  const list = async () => (await readdir(cache)).map((name) => name.replace(/-[0-9a-z]+\./, '-KEY.'))
  const before = await list()
  const sealed = await runBundle('aws-bedrock-token', { env: { ...env, GATEPASS_CACHE: 'keychain' } })
  expect({ before, sealed: toStableValue(sealed), after: await list() }).toEqual({
    before: ['aws-bedrock-token-KEY.json', 'aws-bedrock-token-KEY.lock'],
    sealed: prints(
      '{"token":"BEDROCK-KEY"}\n',
      'aws-bedrock-token: warning: cannot store the token for the next run: there is no Secret Service here, because this session has no D-Bus\n',
    ),
    after: ['aws-bedrock-token-KEY.lock'],
  })
})
