/** Scenarios by name, in the language of users' scenarios. */
export const readyMadeScenarios: Readonly<Record<string, string>> = {
  workday: `
summary: one window from nine to five, a turn every five minutes
steps: [start, turn every 5m for 8h]
`,
  'laptop-sleep': `
summary: the lid is closed over lunch and over night
steps: [start, turn every 10m for 3h, sleep 1h, turn every 10m for 4h, sleep 14h, turn every 10m for 1h]
`,
  'token-revoked': `
summary: an administrator revokes every token in the middle of a session
steps: [start, turn every 5m for 30m, revoke, turn every 5m for 30m]
`,
  'slow-helper': `
summary: the helper takes 15 seconds, then longer than a turn may wait
steps: [helper takes 15s for 90m, start, turn every 10m for 90m, helper takes 25s for 90m, turn every 10m for 90m, turn every 10m for 1h]
`,
  'ttl-120': `
summary: a ttl of 120 seconds, by which the helper does not run before a turn
document:
  inference.credential.ttlSec: 120
steps: [start, turn every 10m for 3h]
`,
  'silent-refresh-off': `
summary: without silent refresh a dead token means a prompt and a new session
document:
  inference.credential.silentRefreshEnabled: false
steps: [start, turn every 10m for 1h, revoke, turn, start, turn every 10m for 1h]
`,
  'helper-missing': `
summary: the helper is not where the document says
document:
  inference.credential.command: /nonexistent/helper
  inference.credential.commandWindows: C:/nonexistent/helper.exe
steps: [start, turn, wait 10m, start, turn]
`,
  'document-expires': `
summary: the document expires, and the next one asks for consent
document:
  expiresAt: 30m
steps:
  - start
  - turn every 10m for 20m
  - person away
  - document changes:
      inference.credential.timeoutSec: 45
      inference.customHeaders: { X-Team: simulated }
  - wait 20m
  - scheduled task
  - person agrees
  - turn every 10m for 1h
`,
  'served-change': `
summary: the served document changes; a person who does not restart is blocked after an hour, and the client restarts by itself
served: true
steps:
  - start
  - turn every 10m for 20m
  - person declines
  - document changes:
      inference.customHeaders: { X-Team: simulated }
  - turn every 1m for 80m
`,
  'served-outage': `
summary: the configuration server is down; a client that runs goes on, and one that restarts has no provider
served: true
steps: [start, turn every 10m for 20m, bootstrap down 2h, turn every 10m for 1h, relaunch, start, turn, wait 90m, turn every 10m for 30m]
`,
  'many-windows': `
summary: six windows send their turns at the same moments
steps: [windows 1-6 start, windows 1-6 turn every 15m for 4h]
`,
  'scheduled-night': `
summary: a task every hour of the night, when nobody is there
steps: [start, turn, person away, wait 8h, scheduled task every 1h for 8h]
`,
  'network-flaps': `
summary: the network goes away for ten minutes, again and again
steps: [start, turn every 5m for 55m, network down 10m, turn every 5m for 30m, network down 10m, turn every 5m for 1h, network down 10m, relaunch, start, turn every 5m for 30m]
`,
  'two-refusals': `
summary: the gateway refuses the token, and the fresh one too; then it answers 403
steps: [start, turn, gateway answers 401 for 10m, turn every 5m for 10m, gateway answers 403 for 10m, turn every 5m for 15m]
`,
  'sign-in-ends': `
summary: a sign-in is valid for two hours; a banner asks to renew it
document:
  inference.sessionLifetimeSec: 7200
steps: [start, turn every 15m for 2h, turn, start, turn every 15m for 1h]
`,
  'person-signs-in': `
summary: a person signs in once, and the client renews the token every hour without asking
kind: external-idp
steps: [start, turn every 15m for 4h, windows 2-3 start, windows 1-3 turn every 15m for 1h]
`,
  'sign-in-revoked': `
summary: an administrator ends the person's sign-in, so that nothing renews it but the person
kind: external-idp
steps: [start, turn every 20m for 1h, revoke sign-in, turn every 20m for 1h, windows 2-4 start, windows 1-4 turn every 20m for 1h]
`,
  'person-away': `
summary: nobody signs in, then somebody declines to; a task at night asks nobody
kind: external-idp
steps: [person away, start, turn, scheduled task, person declines, start, turn, person agrees, start, turn, person away, wait 8h, scheduled task every 1h for 3h]
`,
  'provider-down': `
summary: the identity provider is down when the token has to be renewed
kind: external-idp
steps: [start, turn every 20m for 50m, provider down 30m, turn every 10m for 1h]
`,
  'silent-stream': `
summary: answers that carry only pings, for less and for more than the client waits
steps: [start, stream silent 4m for 10m, turn, wait 10m, stream silent 20m for 30m, turn, wait 30m, turn]
`,
  relaunches: `
summary: the client restarts, is tested and probed, and its memory is empty every time
steps: [setup test, start, turn every 10m for 30m, relaunch, start, turn every 10m for 30m, probe, relaunch, start, turn]
`,
}
