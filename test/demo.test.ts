import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../pkg-scripts/helpers.ts'

/** The whole outcome of the demo in a pipe, with the durations of its processes, which differ in every run, as `N ms`. */
async function playDemo(...argv: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(root, 'pkg-scripts/demo.ts'), ...argv], {
    env: { PATH: '/usr/bin:/bin' },
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
  })
  return { status: exitCode, stdout: stdout.replace(/\d+ ms/g, 'N ms'), stderr }
}

const opening = `\
A client, its helper, AWS and a gateway on this machine; no account, no network beyond loopback.
The client's clock is moved forward; the helper's processes are real, with their own cache off.

A morning with aws-bedrock-token
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms, headers: X-Account
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:20:00  the client has a token, 20 min old
09:20:00  gateway answers 200
09:20:00  turn done
10:05:00  helper runs (mid-session-refresh), because the ttl has passed
10:05:00  token printed after N ms, headers: X-Account
10:05:00  gateway answers 200
10:05:00  turn done
10:10:00  the client has a token, 5 min old
`

const rescue = `\
10:10:00  gateway answers 401
10:10:00  helper runs (mid-session-refresh), because the gateway refused the token
10:10:00  token printed after N ms, headers: X-Account
10:10:00  gateway answers 200 to the repeated request
10:10:00  turn rescued by the refresh
`

const noRescue = `\
10:10:00  gateway answers 200
10:10:00  turn done
`

const ending = `
A helper that hangs
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  no token (timeout): the helper did not end within 1 s and was killed, after N ms
09:00:00  turn lost (no-credential): there is no credential to send

A helper that prints the wrong thing: credentials for the AWS tools
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  no token (credential-process): stdout is an AWS credential_process document, which has no "token", after N ms
09:00:00  turn lost (no-credential): there is no credential to send

No turn was lost with a healthy helper.
`

test('plays a session, its rescue and two helpers that fail, as plain text in a pipe', async () => {
  expect(await playDemo()).toEqual({ status: 0, stdout: opening + rescue + ending, stderr: '' })
})

test('without verification the revoked token still works, so that nothing needs a rescue', async () => {
  expect(await playDemo('--no-verify')).toEqual({ status: 0, stdout: opening + noRescue + ending, stderr: '' })
})
