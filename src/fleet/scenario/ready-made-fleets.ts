/** Fleets by name, in the language of users' scenarios. */
export const readyMadeFleets: Readonly<Record<string, string>> = {
  'office-day': `
summary: one office from nine to half past five
sites:
  - hours: 09:00-17:30
    sleeps: [12:30 for 45m spread 15m]
choices: [{ ttlSec: 3600 }, { ttlSec: 900 }]
`,
  'three-continents': `
summary: offices in Berlin, New York and Bengaluru
sites:
  - { share: 50, hours: 09:00-17:30 Europe/Berlin, sleeps: [12:30 for 45m spread 15m] }
  - { share: 30, hours: 09:00-17:30 America/New_York, sleeps: [12:30 for 45m spread 15m] }
  - { share: 20, hours: 10:00-19:00 Asia/Kolkata, sleeps: [13:00 for 45m spread 15m] }
choices: [{ ttlSec: 3600 }, { ttlSec: 900 }]
`,
  'always-on': `
summary: machines that started together, a task every five minutes
sites: [{ machine: always-on }]
tasks: every 5m spread 30s
tokenLife: 8h
choices: [{ ttlSec: 180 }]
`,
  'hourly-tasks': `
summary: an office of which every laptop runs a task at each full hour
sites:
  - hours: 09:00-17:30
tasks: every 1h
tokenLife: 8h
`,
  quota: `
summary: everybody begins at nine sharp, and the provider takes fifty requests a second
sites:
  - hours: 09:00-17:30
    spread: 1m
provider: { quota: 50, latency: { 0: 200ms, 50: 1s } }
choices: [{ tokenLife: 1h }, { tokenLife: 24h }]
`,
  'outage-at-ten': `
summary: an office whose identity provider is down for ten minutes at ten
sites:
  - hours: 09:00-17:30
outages: [10:00 for 10m]
choices: [{ ttlSec: 3600 }, { ttlSec: 14400, tokenLife: 8h }]
`,
  revocation: `
summary: an office of which every token is revoked at two
sites:
  - hours: 09:00-17:30
revocations: [14:00]
choices: [{ ttlSec: 3600 }, { ttlSec: 900 }]
`,
}

/** Days with a configuration server by name, in the language of users' scenarios. */
export const readyMadeConfigurations: Readonly<Record<string, string>> = {
  'release-in-waves': `
summary: a release that goes out in four waves
sites:
  - hours: 09:00-17:30
    sleeps: [12:30 for 45m spread 15m]
pilot: 20
changes: [09:45 release, 10:30 promote 1, 11:30 promote 2, 13:30 promote 3, 15:00 promote 4]
`,
  'agents-all-day': `
summary: people whose agents work without a pause get a release at once
sites:
  - hours: 09:00-17:30
turns: every 1m
turnTakes: 10m
waves: [100]
changes: [10:00 release, 10:05 promote 1]
`,
  'bad-release': `
summary: a release that names a wrong gateway is halted after twenty minutes and taken back after forty
sites:
  - hours: 09:00-17:30
pilot: 20
changes: [10:00 wrong release, 10:20 promote 2, 10:40 halt, 11:00 revert]
`,
  'server-down-at-nine': `
summary: the configuration server is down for twenty minutes when people come
sites:
  - hours: 09:00-17:30
    sleeps: [12:30 for 45m spread 15m]
outages: [08:50 for 20m]
`,
}
