import { expect, test } from 'vitest'
import { plainSettings, requireSignedIn, signIn } from '../oidc-bench.ts'
import { as, startTestProvider as start } from '../people.ts'

test('where no browser opens, a person confirms a code anywhere', async () => {
  const provider = await start()
  const end = requireSignedIn(await signIn(plainSettings(provider.issuer), as(), { canOpenBrowser: false }))
  expect(end.prompt).toEqual({
    ...{ address: expect.stringContaining('/device?user_code='), userCode: expect.any(String) },
    expiresAt: expect.any(Date),
  })
  expect(end).toMatchObject({ seen: 'The device is signed in', signIn: { subject: 'alice' } })
})
