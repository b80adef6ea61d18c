import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModel } from '../../stand-ins/model/model.ts'
import { replaceShown } from '../page.ts'
import { runWithGateway } from '../run-with-gateway.ts'
import { toOutcome } from '../stage/outcome.ts'
import { bearer, unavailable } from '../stage/scenario.ts'
import { sendRequest } from '../stage/send.ts'
import { testLies } from '../test-lies.ts'
import { startHaproxyWithVerifier } from './haproxy-recipes.ts'

testLies('HAProxy', startHaproxyWithVerifier)

const asked = 'ask(txn, received, requestId) or {}'
const accepted = "{ status = 200, headers = { ['x-user'] = { [0] = 'dana' }, ['x-account'] = { [0] = '' } } }"

test.each([
  ['before it asks', [[asked, "error('a defect')"]]],
  [
    'behind the answer',
    [
      [asked, accepted],
      ['removeFromRequest(txn, received, credentials)', "error('a defect')"],
    ],
  ],
])('nothing passes where the script fails %s', async (_, replaced) => {
  await using model = await startModel()
  const changeScript = (script: string) => replaceShown(script, Object.fromEntries(replaced))
  const outcome = runWithGateway(
    (directory) => {
      const verifierSocket = join(directory, 'nobody.sock')
      return startHaproxyWithVerifier({ directory, verifierSocket, modelPort: model.port, changeScript })
    },
    async ({ url }) =>
      toOutcome(await sendRequest(url, { headers: [bearer('e.e.e'), ['X-User', 'root']] }), model.take()),
  )
  expect(await outcome).toEqual(unavailable('verifier-unavailable'))
})
