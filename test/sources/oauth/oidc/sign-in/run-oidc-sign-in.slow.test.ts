import { expect, test } from 'vitest'
import { plainSettings, requireSignedIn, signIn } from '../oidc-bench.ts'
import { as, startTestProvider as start } from '../people.ts'

test('where no browser opens, a person confirms a code anywhere', async () => {
  const provider = await start()
  const end = requireSignedIn(await signIn(plainSettings(provider.issuer), as(), { canOpenBrowser: false }))
  const { userCode } = end.prompt
  expect({ seen: end.seen, subject: end.signIn.subject, prompt: end.prompt }).toEqual({
    seen: 'The device is signed in',
    subject: 'alice',
    prompt: { address: `${provider.issuer}/device?user_code=${userCode}`, userCode, expiresAt: expect.any(Date) },
  })
})
