import { testScenarios } from '../stage/test-scenarios.ts'
import { testAttacks } from '../test-attacks.ts'
import { startHaproxyWithVerifier } from './haproxy-recipes.ts'

testScenarios(
  'HAProxy with the verifier',
  ({ directory, verifier, model }) =>
    startHaproxyWithVerifier({ directory, verifierSocket: verifier.socket, modelPort: model.port }),
  { further: testAttacks },
)
