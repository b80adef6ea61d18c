import { everyLie } from '../lying-verifier.ts'
import type { GatewayOutcome } from '../stage/outcome.ts'
import { passes } from '../stage/scenario.ts'
import type { Stage } from '../stage/stage.ts'
import { testScenarios } from '../stage/test-scenarios.ts'
import { testLies } from '../test-lies.ts'
import { testAttacks } from './attacks.ts'
import { testDoctor } from './doctor.ts'
import type { Recipe } from './nginx-recipes.ts'
import { testOperation } from './operation.ts'
import { type NginxProcess, startNginx } from './start-nginx.ts'

const start =
  (recipe: Recipe) =>
  ({ directory, verifier, model }: Stage): Promise<NginxProcess> =>
    startNginx(recipe, { directory, verifierSocket: verifier.socket, modelPort: model.port })

/** nginx refuses it before anybody is asked, with a page of its own. */
const twoTokens: GatewayOutcome = {
  status: 400,
  error: {
    type: 'no envelope',
    reason: `<html>
<head><title>400 Bad Request</title></head>
<body>
<center><h1>400 Bad Request</h1></center>
<hr><center>nginx/1.22.1</center>
</body>
</html>
`.replaceAll('\n', '\r\n'),
  },
  arrived: [],
  told: {
    cause: 'nginx itself refuses the form of the request, before anybody has looked at the token, and gives no reason',
    hint: 'remove authorization from customHeaders and from the helper: a second credential, or one header twice, is refused in this way',
  },
}

const otherwise = { 'a request with two tokens is refused': twoTokens }

testScenarios('nginx with auth_request', start('With auth_request'), {
  otherwise,
  further: (played) => {
    testDoctor(played)
    testOperation(played)
    testAttacks(played)
  },
})

testScenarios('nginx with njs', start('With njs'), { otherwise, further: testAttacks })

const asRoot = passes(['x-user: root'])

/** The first lines of these answers are those of a verifier, and nginx reads no more. */
testLies('nginx with auth_request', (settings) => startNginx('With auth_request', settings), {
  'accepts with one of two names': asRoot,
  'answers a byte at a time': asRoot,
  'answers without end': asRoot,
})

/** Beside those for which the page says that there is no answer in time. */
const answeredLies = everyLie.filter((lie) => !['answers a byte at a time', 'answers without end'].includes(lie))
testLies('nginx with njs', (settings) => startNginx('With njs', settings), {}, answeredLies)
