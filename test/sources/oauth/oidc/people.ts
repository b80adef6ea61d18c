import { onTestFinished } from 'vitest'
import type { SignInPrompt } from '../../../../src/sources/oauth/flow.ts'
import { createPerson, type PersonSettings } from '../../../stand-ins/provider/person/create-person.ts'
import type { ProviderSettings } from '../../../stand-ins/provider/settings.ts'
import { type StandInProvider, startProvider } from '../../../stand-ins/provider/start-provider.ts'

/** Starts a provider that compares the path of the redirect URI, until the test is over. */
export async function startTestProvider(given: ProviderSettings = {}): Promise<StandInProvider> {
  const redirect = { redirectRule: 'any port', redirectUris: ['http://127.0.0.1/callback'] } as const
  const provider = await startProvider({ ...redirect, ...given })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  return provider
}

/** Returns somebody who goes through the pages, and says on which they ended. */
export const as =
  (person: PersonSettings = {}) =>
  async ({ address, userCode }: SignInPrompt): Promise<string> =>
    (await createPerson({ ...person, ...(userCode !== undefined && { userCode }) }).open(address)).title
