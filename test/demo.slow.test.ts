import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { root } from '../pkg-scripts/tree.ts'

const demo = join(root, 'pkg-scripts/demo/play-demo.ts')
const settings = {
  env: { PATH: '/usr/bin:/bin' },
  extendEnv: false,
  cwd: '/',
  stdin: 'ignore',
  stripFinalNewline: false,
} as const

/** Replaces the texts that differ in every run: durations of processes and of sign-ins, a port, and who is in a wave. */
const clean = (text: string) =>
  text
    .replace(/\d+ ms/g, 'N ms')
    .replace(/(signed in|renewed|window) after \d+ s/g, '$1')
    .replace(/^(10:\S+ {2})\d+ people get/gm, '$1N people get')
    .replace(/^(11:00:00 {2}.*)u-\d+/gm, '$1u-N')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')

/** Returns the whole outcome of the demo in a pipe. */
async function playDemo() {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [demo], { ...settings, reject: false })
  return { status: exitCode, stdout: clean(stdout), stderr }
}

const opening = `\
Six acts on this machine: no account, no network beyond loopback. Clocks are moved forward; the client, the helpers'
processes and their requests are real. Except in act 5 the helpers keep no token, so that each run is seen.

Act 1: a person with an AWS profile
A client, its helper, AWS, and a gateway that verifies signatures.

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
10:10:00  an administrator revokes every token
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

const lastTurn = (age: string) => `\
10:30:00  the client has a token, ${age} old
10:30:00  gateway answers 200
10:30:00  turn done

`

const rescueDrawn = `\
         09:00         09:20                           10:05        10:30
turns    ●             ●                               ●  ◐             ●
refused                                                   ╳
tokens   ├─────────────────────────────────────────────├──├──────────────
         ● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call

`

const noRescueDrawn = `\
         09:00         09:20                           10:05        10:30
turns    ●             ●                               ●  ●             ●
tokens   ├─────────────────────────────────────────────├─────────────────
         ● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call

`

const ending = `\
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

Act 2: a workload with nothing but its identity
A platform is told to trust an OpenID provider: a token about its client "build" is worth a token of a service account.

A morning with workload-token
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  platform: an identity token is exchanged for an access token (200)
09:00:00  token printed after N ms
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:20:00  platform: an identity token is exchanged for an access token (200)
09:20:00  api: the session has file, git_repository, memory_store
09:20:00  api: a file is added
10:05:00  the client has a token, 1 h 5 min old
10:05:00  platform: refused, the token is expired
10:05:00  gateway answers 401
10:05:00  helper runs (mid-session-refresh), because the gateway refused the token
10:05:00  platform: an identity token is exchanged for an access token (200)
10:05:00  token printed after N ms
10:05:00  gateway answers 200 to the repeated request
10:05:00  turn rescued by the refresh
10:15:00  api: the git_repository has another authorization token
10:25:00  an administrator revokes every token
10:25:00  the client has a token, 20 min old
10:25:00  platform: refused, the token is revoked
10:25:00  gateway answers 401
10:25:00  helper runs (mid-session-refresh), because the gateway refused the token
10:25:00  platform: an identity token is exchanged for an access token (200)
10:25:00  token printed after N ms
10:25:00  gateway answers 200 to the repeated request
10:25:00  turn rescued by the refresh
10:25:00  platform: refused, the token is expired
10:25:00  platform: an identity token is exchanged for an access token (200)
10:25:00  api: the session has file, git_repository, memory_store, file
10:45:00  the client has a token, 20 min old
10:45:00  gateway answers 200
10:45:00  turn done

         09:00       09:20                      10:05 10:15 10:25   10:45
turns    ●                                      ◐           ◐           ●
refused                                         ╳           ╳
tokens   ├──────────────────────────────────────├───────────├────────────
api                  ◆                                ◆     ◆
         ● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call

Act 3: a person signs in
An identity provider that signs its tokens, a gateway that verifies them, and a client that has the person sign in itself.

A morning with external-idp, in two windows
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  session 2 starts (interactive)
09:00:00  alice enters her name and her password
09:00:00  the person is signed in; the token lives 1 h 0 min
09:00:00  the sign-in of another window counts here too
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
10:05:00  the token is renewed without the person, because it has expired
10:05:00  token renewed; the token lives 1 h 0 min
10:05:00  gateway answers 200
10:05:00  turn done
10:25:00  an administrator revokes every token
10:25:00  the client has a token, 20 min old
10:25:00  gateway answers 401
10:25:00  the token is renewed without the person, because the gateway refused it
10:25:00  token renewed; the token lives 1 h 0 min
10:25:00  gateway answers 200 to the repeated request
10:25:00  turn rescued by the refresh
10:45:00  the client has a token, 20 min old
10:45:00  gateway answers 200
10:45:00  turn done

         09:00                                  10:05       10:25   10:45
turns    ●                                      ●           ◐           ●
refused                                                     ╳
tokens   ├──────────────────────────────────────├───────────├────────────
         ● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call

An administrator ends the person's sign-in
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  alice enters her name and her password
09:00:00  the person is signed in; the token lives 1 h 0 min
10:05:00  an administrator signs everybody out
10:05:00  the token is renewed without the person, because it has expired
10:05:00  token not renewed (sign-in-required): the sign-in to 127.0.0.1:PORT has ended (invalid_grant); it says: grant request is invalid
10:05:00  the person is asked to start a new session
10:05:00  turn lost (sign-in-required): the sign-in to 127.0.0.1:PORT has ended (invalid_grant); it says: grant request is invalid
10:05:00  session 2 starts (interactive)
10:05:00  a browser opens for the person to sign in
10:05:00  alice enters her name and her password
10:05:00  the person is signed in; the token lives 1 h 0 min
10:05:00  the client has a token, 0 s old
10:05:00  gateway answers 200
10:05:00  turn done

interactive with an identity provider, in the oldest spelling (sso)
09:00:00  session 1 starts (interactive)
09:00:00  a browser opens for the person to sign in
09:00:00  alice enters her name and her password
09:00:00  the person is signed in; the token lives 1 h 0 min
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done

static: a key in the document
09:00:00  session 1 starts (interactive)
09:00:00  gateway answers 200
09:00:00  turn done

interactive without an identity provider: a sign-in at the gateway itself
09:00:00  session 1 starts (interactive)
09:00:00  turn lost (unsupported-kind): kind "interactive" without oidc is a sign-in at the gateway itself, whose protocol no specification shows, so it cannot be tried here

`

const lastActs = (gateway: string) => `\
Act 4: the other half of the token
The gateway, ${gateway}, asks the verifier about every request, and tells the model behind it who asks.

A morning with command-token, and a new key
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  model: asked by dana@example.com
09:02:00  the identity provider signs with a new key from now on
09:02:00  the client has a token, 2 min old
09:02:00  gateway answers 200
09:02:00  turn done
09:02:00  model: asked by dana@example.com
09:05:00  helper runs (mid-session-refresh), because the ttl has passed
09:05:00  token printed after N ms
09:05:00  gateway answers 200
09:05:00  turn done
09:05:00  model: asked by dana@example.com

         09:00                    09:02                             09:05
turns    ●                        ●                                     ●
tokens   ├──────────────────────────────────────────────────────────────├
         ● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call

An administrator changes the policy
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  model: asked by dana@example.com
09:02:00  from now on the policy lets only the group ai-admins pass
09:02:00  the client has a token, 2 min old
09:02:00  gateway answers 403
09:02:00  turn lost (forbidden): the gateway answered with HTTP 403
09:02:00  doctor: the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups (no accepted value)
09:02:00  doctor: hint: ask the gateway's operators for a rule for this identity of "http://127.0.0.1:PORT"; tell them the line above
09:03:00  the policy lets every group pass whose name begins with ai-
09:03:00  the client has a token, 3 min old
09:03:00  gateway answers 200
09:03:00  turn done
09:03:00  model: asked by dana@example.com

Act 5: one helper under three clients
Each client starts the same helper in its own way. It keeps its token here, so that they share one.

A morning with command-token, in three clients
09:00:00  dana starts the desktop client
09:00:00  session 1 starts (interactive)
09:00:00  helper runs (interactive), because a session starts
09:00:00  token printed after N ms
09:00:00  the client has a token, 0 s old
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  the identity provider has given one token
09:00:00  dana starts OpenAI Codex
09:00:00  session 1 starts (interactive)
09:00:00  helper runs, because a request needs a credential
09:00:00  token printed after N ms
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  the identity provider has given one token
09:00:00  dana starts a coding agent with apiKeyHelper
09:00:00  session 1 starts (interactive)
09:00:00  helper runs, because a request needs a credential
09:00:00  token printed after N ms
09:00:00  gateway answers 200
09:00:00  turn done
09:00:00  the identity provider has given one token

Act 6: the document itself
Its owner publishes a change for half of the people first. Forty people ask the configuration server for theirs after each step.

A change goes out in two waves
09:00:00  Release 1 is served to everybody.
09:00:00  40 people get https://gateway.example.com
09:30:00  Release 2 is served to its pilot: 1 person.
09:30:00  1 person gets https://next.gateway.example.com
09:30:00  39 people get https://gateway.example.com
10:00:00  Release 2 is served up to wave 1 of 2: 50 % of the people, and the pilot.
10:00:00  N people get https://next.gateway.example.com
10:00:00  N people get https://gateway.example.com
10:30:00  Release 2 is halted at wave 1: only people who already have it keep it.
10:30:00  N people get https://next.gateway.example.com
10:30:00  N people get https://gateway.example.com
11:00:00  why does u-N keep the old address? gatepass bootstrap explain says:
11:00:00  u-N is in engineering.
11:00:00  Release 1 is served: this person is in wave 2 of the release after it, which was halted before.
11:00:00  Document 21a6c28ceb64:
11:00:00    inference.baseUrl: "https://gateway.example.com"  (not in the folder as it is now)
11:00:00    inference.credential.kind: "interactive"  (base.json line 1)
11:00:00    inference.provider: "gateway"  (base.json line 1)
11:00:00  rollout as it is now gives this person another document; see: gatepass bootstrap diff 'rollout' --release 'releases' --public-key 'release.key.pub'

No turn was lost with a healthy helper.
`

const ownGateway = lastActs('a small one of ours')

const lastPlayed = existsSync('/usr/sbin/nginx') ? lastActs('nginx') : ownGateway
const whole = opening + rescue + lastTurn('20 min') + rescueDrawn + ending + lastPlayed

test('plays six acts, their rescues and two helpers that fail, as plain text in a pipe', async () => {
  expect(await playDemo()).toEqual({ status: 0, stdout: whole, stderr: '' })
})

/** Returns the text that is left on a terminal: lines that were erased are gone. */
const leftOf = (shown: string) => shown.replaceAll('\r\n', '\n').replace(/\r[^\n]*\r\u001b\[K/g, '')

test('on a terminal without nginx and verification it has colours, and the revoked token still works', async () => {
  const command = `'${process.execPath}' '${demo}' --no-verify --no-nginx`
  const { stdout: shown } = await execa('script', ['-qec', command, '/dev/null'], {
    ...settings,
    env: { ...settings.env, TERM: 'xterm-256color' },
  })
  expect(shown).toContain('\u001b[32mturn done\u001b[39m')
  expect(shown).toContain('the helper is at work …')
  expect(leftOf(shown)).not.toContain('the helper is at work')
  const text = opening + noRescue + lastTurn('25 min') + noRescueDrawn + ending + ownGateway
  expect(clean(stripVTControlCharacters(leftOf(shown)))).toBe(text)
})
