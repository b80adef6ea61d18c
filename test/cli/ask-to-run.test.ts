import { expect, test } from 'vitest'
import { askToRun } from '../../src/cli/ask-to-run.ts'
import { toOidcSettings } from '../../src/client/credentials/sign-in-settings.ts'

async function tell(oidc: Parameters<typeof toOidcSettings>[0]): Promise<string> {
  const told: string[] = []
  const terminal = { tell: (text: string) => void told.push(text), startConversation: () => undefined }
  const provider = toOidcSettings(oidc)
  if (!provider) throw new Error('nobody could sign in with it')
  await askToRun(terminal, { providers: [provider], destination: 'https://gateway.example.com' }, true)
  return told.join('')
}

test('the question names who gets the code of a sign-in where a document names the endpoints itself', async () => {
  const clientId = 'desktop'
  const authorizationUrl = 'https://login.example.com/authorize'
  const tokenUrl = 'https://elsewhere.example.net/token?key=canary'
  expect([
    await tell({ clientId, authorizationUrl, tokenUrl }),
    await tell({ clientId, authorizationUrl, tokenUrl, issuer: 'https://id.example.com' }),
  ]).toEqual([
    `\
This signs in:  a person, in a browser, at https://login.example.com/authorize for the client desktop; the code goes to https://elsewhere.example.net/token?…
and sends to:   https://gateway.example.com
`,
    `\
This signs in:  a person, in a browser, at https://id.example.com/ for the client desktop
and sends to:   https://gateway.example.com
`,
  ])
})
