import { expect, test } from 'vitest'
import { startAwsStandIn } from '../aws-stand-in.ts'

const good: Record<string, string> = {
  response_type: 'code',
  client_id: 'arn:aws:signin:::devtools/same-device',
  state: '2f0c3b52-7c1e-4d6a-9a1f-0d1a2b3c4d5e',
  code_challenge_method: 'SHA-256',
  scope: 'openid',
  redirect_uri: 'http://127.0.0.1:40123/oauth/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}

test('a person is asked, and the browser goes back with the choice', async () => {
  await using aws = await startAwsStandIn()
  const page = await fetch(`${aws.url}/v1/authorize?${new URLSearchParams(good)}`)
  expect([page.status, await page.text()]).toEqual([
    200,
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Give access to AWS as arn:aws:iam::111122223333:user/dev?</title><h1>Give access to AWS as arn:aws:iam::111122223333:user/dev?</h1><form method="post" action="/sign-in/decision"><input type="hidden" name="question" value="0"><button id="allow" name="choice" value="allow">allow</button><button id="deny" name="choice" value="deny">deny</button></form></html>\n',
  ])
  const choose = async (choice: string) => {
    const body = new URLSearchParams({ question: '0', choice })
    const answer = await fetch(`${aws.url}/sign-in/decision`, { method: 'POST', body, redirect: 'manual' })
    return answer.headers.get('location')
  }
  expect([await choose('allow'), await choose('deny')]).toEqual([
    `${good.redirect_uri}?code=login-code-1&state=${good.state}`,
    `${good.redirect_uri}?error=access_denied&state=${good.state}`,
  ])
})

test.each([
  ['unknown parameter prompt', { ...good, prompt: 'login' }],
  ['parameter state is missing', { ...good, state: undefined }],
  ['parameter client_id is wrong', { ...good, client_id: 'arn:aws:signin:::devtools/other' }],
  ['parameter code_challenge_method is wrong', { ...good, code_challenge_method: 'S256' }],
  ['parameter redirect_uri is wrong', { ...good, redirect_uri: 'http://localhost:40123/oauth/callback' }],
  ['parameter redirect_uri is wrong', { ...good, client_id: 'arn:aws:signin:::devtools/cross-device' }],
  ['parameter code_challenge is wrong', { ...good, code_challenge: 'plain' }],
])('refuses %s', async (problem, parameters) => {
  await using aws = await startAwsStandIn()
  const query = new URLSearchParams(JSON.parse(JSON.stringify(parameters)))
  const page = await fetch(`${aws.url}/v1/authorize?${query}`)
  expect([page.status, await page.text()]).toEqual([
    400,
    `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>InvalidRequest</title><h1>InvalidRequest</h1><p id="problem">${problem}</p></html>\n`,
  ])
})
