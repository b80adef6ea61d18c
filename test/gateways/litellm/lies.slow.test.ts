import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { everyLie, type LyingVerifier, startLyingVerifier } from '../lying-verifier.ts'
import { openDirectory } from '../run-with-gateway.ts'
import { prepareRecipe, type RecipeOutcome } from './run-recipe.ts'

let verifier: LyingVerifier
let run: (keys: readonly string[]) => Promise<RecipeOutcome[]>

beforeAll(async () => {
  const directory = await openDirectory()
  const verifierSocket = join(directory, 'verifier.sock')
  verifier = await startLyingVerifier(verifierSocket)
  run = await prepareRecipe({ directory, verifierSocket, patienceSec: 1 })
  return async () => {
    await verifier.close()
    await rm(directory, { recursive: true, force: true })
  }
})

const unavailable: RecipeOutcome = {
  message: 'the verifier cannot be asked',
  type: 'api_error',
  param: null,
  code: 503,
  headers: { 'gatepass-refusal': 'verifier-unavailable' },
}

test.each(everyLie)('the function for LiteLLM fails closed where the verifier %s', async (lie) => {
  verifier.tell(lie)
  expect(await run(['e.e.e'])).toEqual([unavailable])
})

test('a key that would add a line to the request is not sent', async () => {
  verifier.tell('accepts without a name')
  expect(await run(['e.e.e\r\nX-User: root', 'ä', 'two words'])).toEqual([unavailable, unavailable, unavailable])
})
