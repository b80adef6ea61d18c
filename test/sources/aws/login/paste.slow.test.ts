import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import { startWorkbench, user } from '../../../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../../../setup/to-stable-text.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { answerQuestion } from '../../../stand-ins/aws/pages/answer-question.ts'

test('in a shell without a browser the person pastes the code that AWS shows on another machine', async () => {
  await using bench = await startWorkbench({
    config: { 'profile dev': { login_session: user, region: 'eu-central-1' } },
  })
  // `script` gives the command a terminal; what it says and what is typed comes out together.
  const command = `'${process.execPath}' '${toBundlePath('aws-bedrock-token')}' sign-in --profile dev`
  const run = execa('script', ['-qefc', command, '/dev/null'], {
    env: { ...bench.environment, PATH: '/usr/bin:/bin', SHELL: '/bin/sh' },
    extendEnv: false,
    reject: false,
  })
  let said = ''
  run.stdout.on('data', (text) => {
    said += text
  })
  await waitUntil('it asks for the code', () => said.includes('paste the code'))
  const [address = ''] = /http:\S+/.exec(said) ?? []
  expect(said.replaceAll('\r\n', '\n').replace(address, 'ADDRESS')).toBe(`\
aws-bedrock-token: to sign in to AWS as ${user}, open: ADDRESS
aws-bedrock-token: when you are done there, paste the code that the page shows, and press Enter
`)
  const shown = await (await fetch(await answerQuestion(address, 'allow'))).text()
  const state = new URL(address).searchParams.get('state')
  const others = ['code', 'state=other&code=a', `state=${state}&code=`, 'code=a']
  for (const text of ['not base64', ...others.map((answer) => Buffer.from(answer).toString('base64'))]) {
    const asked = said.length
    run.stdin.write(`${text}\n`)
    await waitUntil('it asks again', () => said.includes('that is not the code of this sign-in', asked))
  }
  run.stdin.write(` ${/<code id="code">([^<]+)</.exec(shown)?.[1]} \n`)
  const { exitCode } = await run
  const outcome = await bench.run({ argv: ['--profile', 'dev', '--client-ttl', '600'] })
  expect(toStableValue({ exitCode, outcome })).toEqual({
    exitCode: 0,
    outcome: { status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr: '' },
  })
  expect(bench.aws.requests.find(({ operation }) => operation === 'CreateOAuth2Token')?.parameters).toEqual({
    grantType: 'authorization_code',
    clientId: 'arn:aws:signin:::devtools/cross-device',
    code: 'login-code-1',
    codeVerifier: expect.any(String),
    redirectUri: `${bench.aws.url}/v1/sessions/confirmation`,
  })
})
