import { testScenarios } from '../stage/test-scenarios.ts'
import { testAttacks } from '../test-attacks.ts'
import { startApacheWithVerifier } from './apache-recipes.ts'

testScenarios(
  'Apache with the verifier',
  ({ directory, verifier, model }) =>
    startApacheWithVerifier({ directory, verifierSocket: verifier.socket, modelPort: model.port }),
  { further: testAttacks },
)
