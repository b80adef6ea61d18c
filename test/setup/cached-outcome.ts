import type { CallOutcome } from '../../src/outcomes/call-outcome.ts'

/** The outcome of a call that was served from the cache; tests change what they are about. */
export const cachedOutcome: CallOutcome = {
  time: 1_790_000_000_000,
  helper: 'aws-bedrock-token',
  version: '1.2.3',
  context: 'interactive',
  format: 'json',
  outcome: 'success',
  status: 0,
  ms: 30,
  origin: 'cache',
  source: 'aws-sso',
}
