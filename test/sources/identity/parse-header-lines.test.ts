import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { WorkloadOptions } from '../../../src/sources/identity/identity-source.ts'
import { prepareUrl } from '../../../src/sources/identity/prepare-url.ts'
import { startRecordingServer } from '../../api/recording-server.ts'
import { startParts } from '../oauth/made-up-parts.ts'

/** Prepares a request to this address, with the headers in a variable. */
async function prepare(url: string, text: string) {
  const { host, call } = await startParts({ env: { HEADERS: text } })
  const options = { 'identity-url': url, 'identity-headers-variable': 'HEADERS' } as unknown as WorkloadOptions // nothing else is set
  return { source: await prepareUrl(host, options, call), call }
}

test('headers are lines, and empty lines are skipped', async () => {
  const { recorded, url } = await startRecordingServer({ body: 'e30.e30.c2ln' })
  const { source, call } = await prepare(url, 'Authorization: Bearer a:b\r\n\r\nX-Empty:\n  X-Who :  me  \n')
  await source.obtain(call as Parameters<typeof source.obtain>[0])
  const { authorization, 'x-empty': empty, 'x-who': who } = recorded[0]?.headers ?? {}
  expect({ authorization, empty, who }).toEqual({ authorization: 'Bearer a:b', empty: '', who: 'me' })
})

test.each(['canary', ': canary', 'X Y: canary', 'X: canary\x00', 'X: canaryé€'])(
  'the line %j is not a header, and is named by its number',
  async (line) => {
    await expect(prepare('https://id.example', `A: b\n${line}`)).rejects.toEqual(
      new HelperError(
        'not-configured',
        'line 2 of variable HEADERS is not a header',
        "write each header on a line of its own, as 'Name: value'",
      ),
    )
  },
)
