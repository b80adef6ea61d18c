import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const entra = {
  issuer: 'https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0',
  'client-id': '11111111-2222-3333-4444-555555555555',
  scopes: 'api://22222222-3333-4444-5555-666666666666/access',
}

/** Lists the steps of the folder that these answers lead to. */
async function listSteps(answers: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await nameFolder()
  await runSetup(folder, toFlags({ ...oktaAnswers, systems: 'linux', ...answers }))
  const [, ...steps] = (await readFile(join(folder, 'registration.md'), 'utf8')).split(/^\d+\. /m)
  return steps.map((step) => step.trimEnd())
}

test('the page for Entra ID names the version of the access token, its audience and the consent', async () => {
  expect(await listSteps({ ...entra, recipe: 'nginx', allow: 'groups=0760b6cf' })).toEqual([
    'With Microsoft Entra ID: register a public client, a native application with PKCE and without a secret.',
    'In its app registration, under Authentication, set "Allow public client flows" to Yes.',
    'Register exactly http://localhost/callback in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client 11111111-2222-3333-4444-555555555555; without a port, because every port is allowed.',
    'Register the gateway as an application of its own: under Expose an API, add the scope of `api://22222222-3333-4444-5555-666666666666/access`.',
    "In that application's Manifest, set `requestedAccessTokenVersion` (under `api`) to 2. Otherwise its tokens have the issuer `https://sts.windows.net/…`, and the gateway refuses them.",
    'Under API permissions of the client, add that scope.',
    'Have the gateway take the issuer `https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0` and the audience `22222222-3333-4444-5555-666666666666`: the client ID of its application, and not the `api://` URI.',
    "Under Token configuration of the gateway's application, add the groups claim. It holds object IDs of cloud groups, not names, and nothing for a person in more than 200: prefer `--allow roles=…`.",
    'Under API permissions of the client, add `offline_access` of Microsoft Graph (delegated).',
    'Under API permissions of the client, press "Grant admin consent", so that nobody is asked for it on the first morning.',
  ])
})

test('the page for an ID token of Entra ID registers no API', async () => {
  expect(await listSteps({ ...entra, scopes: 'none', 'refresh-token-store': 'none' })).toEqual([
    'With Microsoft Entra ID: register a public client, a native application with PKCE and without a secret.',
    'In its app registration, under Authentication, set "Allow public client flows" to Yes.',
    'Register exactly http://localhost/callback in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client 11111111-2222-3333-4444-555555555555; without a port, because every port is allowed.',
    'The gateway gets the ID token. What fits this provider: the access token for a scope of an API of your own, as its audience is the gateway; the ID token is for the client itself. Have the gateway take the issuer `https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0` and the audience `11111111-2222-3333-4444-555555555555`.',
    'No refresh token is asked for: people sign in whenever a token ends.',
    'Under API permissions of the client, press "Grant admin consent", so that nobody is asked for it on the first morning.',
  ])
})

test('the page for Okta names the grants, the scope and its access policy, and who is assigned', async () => {
  const answers = { issuer: 'https://example.okta.com/oauth2/default', scopes: 'gateway.use' }
  expect(await listSteps({ ...answers, recipe: 'nginx', audience: 'gw', allow: 'groups=llm-users' })).toEqual([
    'With Okta: register a public client, a native application with PKCE and without a secret.',
    'In the application, under General, set client authentication to None, with PKCE.',
    'Register exactly http://127.0.0.1:28400/callback in the application, under General, as a "Sign-in redirect URI", for the client 0oa1example.',
    'In the custom authorization server of the issuer (Security, API), add the scope of `gateway.use`, and an access policy with a rule for this client.',
    'Have the gateway take the issuer `https://example.okta.com/oauth2/default` and the audience `gw`.',
    'Put the claim `groups` into that token: whoever has `llm-users` in it passes.',
    'In the application, under General, tick the grant types "Authorization Code" and "Refresh Token".',
    'In the application, under Assignments, assign the people’s group: others are refused.',
  ])
})

test('the page for Google says where the secret of the client goes', async () => {
  expect(await listSteps({ issuer: 'https://accounts.google.com' })).toEqual([
    'With Google: register a public client, a native application with PKCE.',
    'Create a client of the type "Desktop app".',
    'It gets a secret without which sign-ins may fail: put it into a file on each machine, and name that with `--arg=--client-secret-file=PATH`.',
    'The gateway gets the ID token. What fits this provider: the ID token, because only Google can read its access tokens. Have the gateway take the issuer `https://accounts.google.com` and the audience `0oa1example`.',
    'Let the client use the grant "authorization code"; its refresh token comes without a scope of its own.',
    'In the project, under Audience, choose "Internal", so that only accounts of your organization sign in.',
  ])
})

test('the page for Keycloak names the mapper, the flow and the role', async () => {
  expect(await listSteps({ issuer: 'https://id.example.com/realms/acme', scopes: 'gateway' })).toEqual([
    'With Keycloak: register a public client, a native application with PKCE and without a secret.',
    'In the client, under Settings, switch "Client authentication" off.',
    'Register exactly http://127.0.0.1/callback in the client, under Settings, as a "Valid redirect URI", for the client 0oa1example; without a port, because every port is allowed.',
    'Create the client scope of `gateway`, with a mapper of the type "Audience" that adds the gateway, and assign it to the client.',
    'Have the gateway take the issuer `https://id.example.com/realms/acme` and the audience of that API.',
    'Switch "Standard flow" on in the client. People need the realm role `offline_access`, which is a default.',
    'In the client, leave "Consent required" off, so that nobody is asked on the first morning.',
  ])
})

test('the page for an unknown provider names the standards', async () => {
  expect(await listSteps({ issuer: 'https://id.example.com', scopes: 'gateway' })).toEqual([
    'With the provider: register a public client, a native application with PKCE and without a secret.',
    'In its registration, make it a public client (a native application with PKCE).',
    'Register exactly http://127.0.0.1/callback in the registration of the client, for the client 0oa1example; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it.',
    'Register the gateway as an API with the scope `gateway`, and permit the client to use it.',
    'Have the gateway take the issuer `https://id.example.com` and the audience of that API.',
    'Let the client use the grants "authorization code" and "refresh token" with the scope offline_access.',
    'Grant the consent of an administrator once, so that nobody is asked for it on the first morning.',
  ])
})
