// Folder: `npm run demo`: acts with clients, helpers, providers and gateways, and their output.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAll } from '../bundle/bundle.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { runAwsAct } from './aws-act.ts'
import { runClientsAct } from './clients-act.ts'
import { runFederationAct } from './federation-act.ts'
import { gatewayNames, runGatewayAct } from './gateway-act.ts'
import { runRolloutAct } from './rollout-act.ts'
import { openScreen } from './screen.ts'
import { runSignInAct } from './sign-in-act.ts'
import { detectGateway } from './site.ts'

tellFailures('demo')
const option = { type: 'boolean', default: false } as const
const { values } = parseOptions({
  command: 'npm run demo --',
  summary: 'plays a day of clients, helpers and gateways on this machine',
  options: {
    'no-verify': { ...option, summary: 'the gateway of the first act verifies no signature' },
    'no-nginx': { ...option, summary: "a gateway of the demo's own in place of nginx" },
  },
})
const gateway = values['no-nginx'] ? 'own' : detectGateway()

using screen = openScreen()
screen.tellProgress('building the helpers')
await bundleAll()
const home = await mkdtemp(join(tmpdir(), 'gatepass demo '))
try {
  screen.print(`Six acts on this machine: no account, no network beyond loopback. Clocks are moved forward; the client, the helpers'
processes and their requests are real. Except in act 5 the helpers keep no token, so that each run is seen.

${screen.paint('strong', 'Act 1: a person with an AWS profile')}
A client, its helper, AWS, and a gateway that verifies signatures.
`)
  const lostTurns = await runAwsAct(screen, home, values['no-verify'] ? 'off' : 'on')
  screen.print(`${screen.paint('strong', 'Act 2: a workload with nothing but its identity')}
A platform is told to trust an OpenID provider: a token about its client "build" is worth a token of a service account.
`)
  const lostByWorkload = await runFederationAct(screen, home)
  screen.print(`${screen.paint('strong', 'Act 3: a person signs in')}
An identity provider that signs its tokens, a gateway that verifies them, and a client that has the person sign in itself.
`)
  const lostBySignIn = await runSignInAct(screen)
  screen.print(`${screen.paint('strong', 'Act 4: the other half of the token')}
The gateway, ${gatewayNames[gateway]}, asks the verifier about every request, and tells the model behind it who asks.
`)
  const lostByGateway = await runGatewayAct(screen, home, gateway)
  screen.print(`${screen.paint('strong', 'Act 5: one helper under three clients')}
Each client starts the same helper in its own way. It keeps its token here, so that they share one.
`)
  const lostByClients = await runClientsAct(screen, home, gateway)
  screen.print(`${screen.paint('strong', 'Act 6: the document itself')}
Its owner publishes a change for half of the people first. Forty people ask the configuration server for theirs after each step.
`)
  await runRolloutAct(screen, home)
  const allLostTurns = lostTurns + lostByWorkload + lostBySignIn + lostByGateway + lostByClients
  screen.print(
    allLostTurns === 0
      ? screen.paint('good', 'No turn was lost with a healthy helper.')
      : screen.paint('bad', `${allLostTurns} turns were lost with a healthy helper.`),
  )
  process.exitCode = allLostTurns === 0 ? 0 : 1
} finally {
  await rm(home, { recursive: true, force: true })
}
