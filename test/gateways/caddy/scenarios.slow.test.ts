import { testScenarios } from '../stage/test-scenarios.ts'
import { testAttacks } from '../test-attacks.ts'
import { testLies } from '../test-lies.ts'
import { startCaddy } from './caddy-recipe.ts'

testScenarios(
  'Caddy',
  ({ directory, verifier, model }) => startCaddy({ directory, verifierSocket: verifier.socket, modelPort: model.port }),
  { further: testAttacks },
)

testLies('Caddy', startCaddy)
